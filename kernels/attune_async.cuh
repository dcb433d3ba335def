// Copies from global to shared memory that run while threads compute, and the barriers that count their bytes. PTX on
// GPUs; on the host device, and by cp.async below sm_80, the copy is done when the call returns. A missing wait
// therefore shows on a GPU only.
//
//   copy_async, commit_copies, wait_for_copies          cp.async: each thread copies 4, 8 or 16 bytes; sm_80
//   Barrier, init, arrive, arrive_expecting, wait       mbarrier: counts arrivals and bytes; sm_90
//   load_bulk, store_bulk, commit_stores, wait_for_...  one thread copies kilobytes; sm_90
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
/// of the block behind which one thread stores; also before a bulk load overwrites what threads have read.
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

}  // namespace attune
