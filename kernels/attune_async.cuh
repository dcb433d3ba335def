// Copies from global to shared memory that run while threads compute, and the barriers that count their bytes. PTX on
// GPUs; on the host device, and by cp.async below sm_80, the copy is done when the call returns. A missing wait
// therefore shows on a GPU only.
//
//   copy_async, commit_copies, wait_for_copies          cp.async: each thread copies 4, 8 or 16 bytes; sm_80
//   copy_async_or_zero                                  the same, with zeros beyond the end of an array
//   Barrier, init, arrive, arrive_expecting, wait       mbarrier: counts arrivals and bytes; sm_90
//   load_bulk, store_bulk, commit_stores, wait_for_...  one thread copies kilobytes; sm_90
//   TensorMap, load_tensor, store_tensor, swizzled      one thread copies a box of an array; sm_90
//
// What needs sm_90 compiles everywhere and traps below: a rule such as
// `VARIANT != 'Variant::bulk' || device.compute_capability >= 90` leaves such values out.
#pragma once

namespace attune {

// ---- cp.async ----

/// Copies BYTES (4, 8 or 16) from global to shared memory; both are aligned to BYTES. Done after wait_for_copies() of
/// this thread; other threads may read after a barrier that follows it.
template <int BYTES>
__device__ __forceinline__ void copy_async(void* shared_to, const void* from) {
  static_assert(BYTES == 4 || BYTES == 8 || BYTES == 16, "cp.async copies 4, 8 or 16 bytes");
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared_to));
  if constexpr (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(BYTES) : "memory");
  }
#else
  struct alignas(BYTES) Chunk {
    int words[BYTES / 4];
  };
  *static_cast<Chunk*>(shared_to) = *static_cast<const Chunk*>(from);
#endif
}

/// The same, or BYTES of zeros where `is_there` is false: then nothing is read, and `from` may be any address.
template <int BYTES>
__device__ __forceinline__ void copy_async_or_zero(void* shared_to, const void* from, bool is_there) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(shared_to));
  const int bytes = is_there ? BYTES : 0;
  if constexpr (BYTES == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(BYTES), "r"(bytes) : "memory");
  }
#else
  if (is_there) {
    copy_async<BYTES>(shared_to, from);
  } else {
    for (int i = 0; i < BYTES; i += 4) static_cast<int*>(shared_to)[i / 4] = 0;
  }
#endif
}

/// Ends a group: the copies of this thread since the last group.
__device__ __forceinline__ void commit_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/// Waits until at most PENDING of this thread's groups, the latest, are under way.
template <int PENDING>
__device__ __forceinline__ void wait_for_copies() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// ---- mbarrier ----

/// A barrier in shared memory. A phase ends when all arrivals and all expected bytes have come; then the next begins.
/// One thread calls init() and fence_barriers(), then the block meets at __syncthreads().
struct alignas(8) Barrier {
#ifdef ATTUNE_HOST
  unsigned short arrivals, pending;
  short parity;
  int bytes;
#else
  unsigned long long word;
#endif
};

namespace detail {

#ifdef ATTUNE_HOST
inline void end_phase_if_complete(Barrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0) return;
  barrier.pending = barrier.arrivals;
  barrier.parity ^= 1;
}
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
__device__ __forceinline__ unsigned shared_address(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
#endif

}  // namespace detail

/// Makes a barrier for `arrivals` (at most 65,535) calls of arrive() or arrive_expecting() per phase.
__device__ __forceinline__ void init(Barrier& barrier, unsigned arrivals) {
#ifdef ATTUNE_HOST
  barrier = Barrier{static_cast<unsigned short>(arrivals), static_cast<unsigned short>(arrivals), 0, 0};
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(detail::shared_address(&barrier)), "r"(arrivals)
               : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Makes barriers known to the unit that copies. Called by the thread that initialised them, before __syncthreads().
__device__ __forceinline__ void fence_barriers() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
}

__device__ __forceinline__ void arrive(Barrier& barrier) {
#ifdef ATTUNE_HOST
  --barrier.pending;
  detail::end_phase_if_complete(barrier);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile(
      "{\n.reg .b64 state;\nmbarrier.arrive.shared::cta.b64 state, [%0];\n}" ::"r"(detail::shared_address(&barrier))
      : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Arrives, and makes the phase wait for `bytes` of copies besides. Called before these copies are issued.
__device__ __forceinline__ void arrive_expecting(Barrier& barrier, unsigned bytes) {
#ifdef ATTUNE_HOST
  barrier.bytes += static_cast<int>(bytes);
  arrive(barrier);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1;\n}" ::"r"(
                   detail::shared_address(&barrier)),
               "r"(bytes)
               : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Waits for the end of the phase of this parity: 0 for the first phase, 1 for the second, 0 for the third, and so on.
__device__ __forceinline__ void wait(Barrier& barrier, unsigned parity) {
#ifdef ATTUNE_HOST
  while (static_cast<const volatile Barrier&>(barrier).parity == static_cast<short>(parity)) __nanosleep(0);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  unsigned done = 0;
  do {
    asm volatile(
        "{\n.reg .pred over;\nmbarrier.try_wait.parity.shared::cta.b64 over, [%1], %2;\nselp.u32 %0, 1, 0, over;\n}"
        : "=r"(done)
        : "r"(detail::shared_address(&barrier)), "r"(parity)
        : "memory");
  } while (done == 0);
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

// ---- Bulk copies ----

/// Copies `bytes` from global to shared memory and counts them at `barrier`. Called by one thread. Both addresses are
/// aligned to 16, and `bytes` is a multiple of 16.
__device__ __forceinline__ void load_bulk(void* shared_to, const void* from, unsigned bytes, Barrier& barrier) {
#ifdef ATTUNE_HOST
  __builtin_memcpy(shared_to, from, bytes);
  barrier.bytes -= static_cast<int>(bytes);
  detail::end_phase_if_complete(barrier);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                   detail::shared_address(shared_to)),
               "l"(from), "r"(bytes), "r"(detail::shared_address(&barrier))
               : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Makes what threads have written into shared memory visible to bulk stores. Called by the writers, before the barrier
/// of the block behind which one thread stores; also before a bulk load overwrites what threads have written. Behind
/// what they have only read, the barrier is enough on present devices. Where that is a Barrier, racecheck of
/// compute-sanitizer 2026 reports a missing fence all the same.
__device__ __forceinline__ void fence_shared_for_bulk() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

/// Copies `bytes` from shared to global memory, aligned as for load_bulk(). Called by one thread.
__device__ __forceinline__ void store_bulk(void* to, const void* shared_from, unsigned bytes) {
#ifdef ATTUNE_HOST
  __builtin_memcpy(to, shared_from, bytes);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
               "r"(detail::shared_address(shared_from)), "r"(bytes)
               : "memory");
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Ends a group: the bulk stores of this thread since the last group.
__device__ __forceinline__ void commit_stores() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
}

/// Waits until at most PENDING groups of bulk stores have still to read shared memory: it may be written again.
template <int PENDING>
__device__ __forceinline__ void wait_for_store_reads() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PENDING) : "memory");
#endif
}

/// Waits until at most PENDING groups of bulk stores are under way. A block must not end before its stores have read.
template <int PENDING>
__device__ __forceinline__ void wait_for_stores() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

// ---- Tensor maps ----

/// An array as boxes, which move whole. attune encodes it: an argument with `tensor` in the kernel file. The entry takes
/// `const __grid_constant__ attune::TensorMap map`, and passes it on by reference only.
#ifdef ATTUNE_HOST
using TensorMap = ::attune_host::TensorMap;
#else
struct alignas(64) TensorMap {
  unsigned long long words[16];
};
#endif

/// Returns false for a map of zeros: `when` was false, or the array's address is no multiple of 16. Such a map must not
/// be used.
__device__ __forceinline__ bool usable(const TensorMap& map) {
#ifdef ATTUNE_HOST
  return map.address != nullptr;
#else
  unsigned long long any = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) any |= map.words[i];
  return any != 0;
#endif
}

/// Returns where element `index` of a box lies in shared memory, as an index too. SWIZZLE is the map's: 0, 32, 64 or 128
/// bytes, as long as a row of the box. The box begins at a multiple of 1,024 bytes (swizzle 64: 512, 32: 256).
template <int SWIZZLE, int ELEMENT_BYTES = 1>
__device__ __forceinline__ constexpr int swizzled(int index) {
  static_assert(SWIZZLE == 0 || SWIZZLE == 32 || SWIZZLE == 64 || SWIZZLE == 128, "a swizzle is 0, 32, 64 or 128");
  // Of the 16-byte pieces in SWIZZLE bytes, the number is exclusive-ored with that of the 128-byte line.
  const int byte = index * ELEMENT_BYTES, pieces = SWIZZLE == 0 ? 0 : SWIZZLE - 16;
  return (byte ^ ((byte >> 3) & pieces)) / ELEMENT_BYTES;
}

namespace detail {

#ifdef ATTUNE_HOST
// Calls move(address in shared memory, address in the array or null) for each element of the box at `first`. `piece`: a
// row of the array ends at a multiple of so many bytes.
template <class Move>
void for_each_in_box(const TensorMap& map, const char* shared, const int (&first)[5], unsigned piece, Move move) {
  if (map.address == nullptr) ::attune_host::fault("a tensor map of zeros was used; ask attune::usable(map) first");
  if (static_cast<long long>(first[0]) * map.element_bytes % 16 != 0)
    ::attune_host::fault("a box begins at a first coordinate that is no multiple of 16 bytes");
  const unsigned long long base = reinterpret_cast<unsigned long long>(shared);
  if (base % (map.swizzle == 0 ? 16 : 128) != 0)
    ::attune_host::fault("a box in shared memory is not aligned to 16 bytes (with a swizzle: 128)");
  const unsigned long long row = (map.shape[0] * map.element_bytes + piece - 1) / piece * piece / map.element_bytes;
  unsigned long long place = base, elements = 1;
  int at[5] = {};
  for (int i = 0; i < 5; ++i) elements *= map.box[i];
  for (unsigned long long k = 0; k < elements; ++k, place += map.element_bytes) {
    unsigned char* target = map.address;
    bool inside = true;
    for (int i = 0; i < 5; ++i) {
      const long long x = static_cast<long long>(first[i]) + at[i];
      inside = inside && x >= 0 && x < static_cast<long long>(i == 0 ? row : map.shape[i]);
      if (inside) target += static_cast<unsigned long long>(x) * map.strides[i];
    }
    // As on GPUs, by the bits of the address.
    const unsigned long long pieces = map.swizzle == 0 ? 0 : map.swizzle - 16;
    move(reinterpret_cast<char*>(place ^ ((place >> 3) & pieces)), inside ? target : nullptr);
    for (int i = 0; i < 5 && ++at[i] == map.box[i]; ++i) at[i] = 0;
  }
}

inline unsigned box_bytes(const TensorMap& map) {
  unsigned bytes = map.element_bytes;
  for (int i = 0; i < 5; ++i) bytes *= map.box[i];
  return bytes;
}
#endif

}  // namespace detail

/// Fetches the map itself ahead of its first use. Called by one thread.
__device__ __forceinline__ void prefetch(const TensorMap& map) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
#endif
}

/// Copies the box at these coordinates (x, or x, y, ... to five, in elements) into shared memory and counts its bytes at
/// `barrier`: all of the box, though zeros stand for what lies outside the array. Coordinates may be negative; x is a
/// multiple of 16 bytes. Called by one thread. `shared_to` is aligned to 128, with a swizzle as for swizzled().
template <class... Coordinates>
__device__ __forceinline__ void load_tensor(void* shared_to, const TensorMap& map, Barrier& barrier,
                                            Coordinates... coordinates) {
  constexpr int DIMENSIONS = sizeof...(Coordinates);
  static_assert(DIMENSIONS >= 1 && DIMENSIONS <= 5, "a tensor map has 1 to 5 dimensions");
#ifdef ATTUNE_HOST
  const int first[5] = {static_cast<int>(coordinates)...};
  if (map.address != nullptr && map.dimensions != DIMENSIONS)
    ::attune_host::fault("load_tensor has another number of coordinates than its map has dimensions");
  detail::for_each_in_box(map, static_cast<const char*>(shared_to), first, map.element_bytes, [&](char* shared, const unsigned char* from) {
    for (int i = 0; i < map.element_bytes; ++i) shared[i] = from == nullptr ? 0 : static_cast<char>(from[i]);
  });
  barrier.bytes -= static_cast<int>(detail::box_bytes(map));
  detail::end_phase_if_complete(barrier);
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const int at[5] = {static_cast<int>(coordinates)...};
#define ATTUNE_LOAD_TENSOR(RANK, PLACES, ...)                                                                       \
  asm volatile("cp.async.bulk.tensor." RANK                                                                         \
               ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {" PLACES "}], [%2];" ::"r"(    \
                   detail::shared_address(shared_to)),                                                              \
               "l"(&map), "r"(detail::shared_address(&barrier)), __VA_ARGS__                                        \
               : "memory")
  if constexpr (DIMENSIONS == 1) ATTUNE_LOAD_TENSOR("1d", "%3", "r"(at[0]));
  if constexpr (DIMENSIONS == 2) ATTUNE_LOAD_TENSOR("2d", "%3, %4", "r"(at[0]), "r"(at[1]));
  if constexpr (DIMENSIONS == 3) ATTUNE_LOAD_TENSOR("3d", "%3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  if constexpr (DIMENSIONS == 4)
    ATTUNE_LOAD_TENSOR("4d", "%3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
  if constexpr (DIMENSIONS == 5)
    ATTUNE_LOAD_TENSOR("5d", "%3, %4, %5, %6, %7", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]));
#undef ATTUNE_LOAD_TENSOR
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

/// Copies a box from shared memory to these coordinates, as for load_tensor(); what lies outside the array is left out.
/// Rows end at a multiple of 16 bytes, as those of arrays that are written do. No coordinate is negative: the launch
/// would be a fault.
/// Called by one thread, behind fence_shared_for_bulk() of the writers; it belongs to the groups of commit_stores().
template <class... Coordinates>
__device__ __forceinline__ void store_tensor(const TensorMap& map, const void* shared_from, Coordinates... coordinates) {
  constexpr int DIMENSIONS = sizeof...(Coordinates);
  static_assert(DIMENSIONS >= 1 && DIMENSIONS <= 5, "a tensor map has 1 to 5 dimensions");
#ifdef ATTUNE_HOST
  const int first[5] = {static_cast<int>(coordinates)...};
  if (map.address != nullptr && map.dimensions != DIMENSIONS)
    ::attune_host::fault("store_tensor has another number of coordinates than its map has dimensions");
  for (const int coordinate : first)
    if (coordinate < 0) ::attune_host::fault("store_tensor has a negative coordinate");
  detail::for_each_in_box(map, static_cast<const char*>(shared_from), first, 16, [&](const char* shared, unsigned char* to) {
    for (int i = 0; to != nullptr && i < map.element_bytes; ++i) to[i] = static_cast<unsigned char>(shared[i]);
  });
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const int at[5] = {static_cast<int>(coordinates)...};
#define ATTUNE_STORE_TENSOR(RANK, PLACES, ...)                                                                      \
  asm volatile("cp.async.bulk.tensor." RANK ".global.shared::cta.tile.bulk_group [%0, {" PLACES "}], [%1];" ::"l"(   \
                   &map),                                                                                           \
               "r"(detail::shared_address(shared_from)), __VA_ARGS__                                                \
               : "memory")
  if constexpr (DIMENSIONS == 1) ATTUNE_STORE_TENSOR("1d", "%2", "r"(at[0]));
  if constexpr (DIMENSIONS == 2) ATTUNE_STORE_TENSOR("2d", "%2, %3", "r"(at[0]), "r"(at[1]));
  if constexpr (DIMENSIONS == 3) ATTUNE_STORE_TENSOR("3d", "%2, %3, %4", "r"(at[0]), "r"(at[1]), "r"(at[2]));
  if constexpr (DIMENSIONS == 4)
    ATTUNE_STORE_TENSOR("4d", "%2, %3, %4, %5", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]));
  if constexpr (DIMENSIONS == 5)
    ATTUNE_STORE_TENSOR("5d", "%2, %3, %4, %5, %6", "r"(at[0]), "r"(at[1]), "r"(at[2]), "r"(at[3]), "r"(at[4]));
#undef ATTUNE_STORE_TENSOR
#elif defined(__CUDA_ARCH__)
  __trap();
#endif
}

}  // namespace attune
