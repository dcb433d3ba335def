// The CUDA language for the host device: keywords, indices, barriers, warp intrinsics, atomics, fences, cache hints and
// traps, in terms of the executor's Runtime (abi.hpp). Stands in front of every kernel source, after cuda_vectors.hpp.
// One copy per compiled object; every CUDA thread is a fiber that stays on one OS thread. __CUDA_ARCH__ and __CUDACC__
// stay undefined: a kernel that asks for them means a GPU.
#ifndef ATTUNE_HOST_CUDA_LANGUAGE_HPP
#define ATTUNE_HOST_CUDA_LANGUAGE_HPP

// clock() of a kernel counts cycles. Declared before <time.h> can be, so that this object gets its own, hidden one.
extern "C" __attribute__((visibility("hidden"))) long clock() noexcept;

#include <stdio.h>
#include <string.h>
#include <time.h>

#define ATTUNE_HOST 1

// ---- Keywords ----

#define __global__
#define __device__
#define __host__
#define __managed__
// Not `static`: `static __constant__` is legal CUDA. Objects are compiled with hidden visibility.
#define __constant__
#define __grid_constant__
// Blocks run one at a time on an OS thread. The compiler driver rewrites `static` and `extern` in front of it.
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
// Empty, as libstdc++ writes __attribute__((__noinline__)).
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __nv_pure__ __attribute__((pure))

// ---- The thread that runs ----

namespace attune_host {

// Not `inline`: an object is one translation unit.
__attribute__((visibility("hidden"))) thread_local Thread* current_thread_pointer = nullptr;
__attribute__((visibility("hidden"))) const Runtime* runtime = nullptr;

// Inside one activation of a kernel these never change, whatever else the fiber's OS thread does meanwhile. `const`
// says so to the compiler, which may then keep indices in registers across stores, barriers and loops.
// (Thread-local storage of a loaded object is reached by a call of some 4 ns; hence the pointer once, then its
// members.)
#define ATTUNE_HOST_CONSTANT __attribute__((const, noinline))
ATTUNE_HOST_CONSTANT inline Thread* self() { return current_thread_pointer; }
#define ATTUNE_HOST_INDEX(NAME)                                                          \
  ATTUNE_HOST_CONSTANT inline unsigned NAME##_x(const Thread* of) { return of->NAME.x; } \
  ATTUNE_HOST_CONSTANT inline unsigned NAME##_y(const Thread* of) { return of->NAME.y; } \
  ATTUNE_HOST_CONSTANT inline unsigned NAME##_z(const Thread* of) { return of->NAME.z; } \
  template <class Triple>                                                                \
  __forceinline__ const Triple NAME() {                                                  \
    const Thread* const of = self();                                                     \
    return {NAME##_x(of), NAME##_y(of), NAME##_z(of)};                                   \
  }
ATTUNE_HOST_INDEX(thread_index)
ATTUNE_HOST_INDEX(block_index)
ATTUNE_HOST_INDEX(block_size)
ATTUNE_HOST_INDEX(grid_size)
ATTUNE_HOST_CONSTANT inline unsigned lane_of(const Thread* of) { return of->lane; }
ATTUNE_HOST_CONSTANT inline void* dynamic_shared_of(const Thread* of) { return of->dynamic_shared; }
#undef ATTUNE_HOST_INDEX
#undef ATTUNE_HOST_CONSTANT

__forceinline__ unsigned lane() { return lane_of(self()); }

/// The block's dynamic shared memory: what `extern __shared__` arrays are rewritten to refer to.
__forceinline__ void* dynamic_shared() { return __builtin_assume_aligned(dynamic_shared_of(self()), 256); }

/// The same as an array of whatever type the reference has that it initialises.
struct DynamicShared {
  template <class Array>
  __forceinline__ operator Array&() const {
    return *static_cast<Array*>(dynamic_shared());
  }
};
__forceinline__ DynamicShared dynamic_shared_array() { return {}; }

[[noreturn]] inline void fault(const char* what) {
  runtime->fault(what);
  __builtin_unreachable();
}

// Fibers do not preempt each other: a thread that waits in a loop for what another one does must let the others run now
// and then, so that atomics, fences and __syncwarp do. Yielding at each would make a histogram a long series of
// switches; one in 16 keeps both costs small.
inline constexpr unsigned kOperationsPerYield = 16;

__forceinline__ void count_operation() {
  if (++self()->operations % kOperationsPerYield == 0) runtime->yield();
}

// ---- Entries: a kernel is called with an array of pointers to its arguments ----

template <class T>
struct Plain {
  using type = T;
};
template <class T>
struct Plain<const T> : Plain<T> {};
template <class T>
struct Plain<T&> : Plain<T> {};
template <class T>
struct Plain<T&&> : Plain<T> {};

template <unsigned... I>
struct Places {};
template <unsigned N, unsigned... I>
struct PlacesUpTo : PlacesUpTo<N - 1, N - 1, I...> {};
template <unsigned... I>
struct PlacesUpTo<0, I...> {
  using type = Places<I...>;
};

template <class... A, unsigned... I>
void invoke_at(void (*kernel)(A...), [[maybe_unused]] void** parameters, Places<I...>) {
  kernel(*static_cast<typename Plain<A>::type*>(parameters[I])...);
}

template <class... A>
void invoke(void (*kernel)(A...), void** parameters) {
  invoke_at(kernel, parameters, typename PlacesUpTo<sizeof...(A)>::type());
}

template <class To, class From>
__forceinline__ To bits_to(const From& from) {
  static_assert(sizeof(To) <= sizeof(From), "the target takes no more than there is");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace attune_host

// What the executor asks an object for.
extern "C" {
__attribute__((visibility("default"))) unsigned attune_host_abi_version() { return attune_host::kHostAbiVersion; }
__attribute__((visibility("default"))) void attune_host_set_runtime(const attune_host::Runtime* runtime) {
  attune_host::runtime = runtime;
}
__attribute__((visibility("default"))) attune_host::Thread** attune_host_current_slot() {
  return &attune_host::current_thread_pointer;
}
}

#define threadIdx (::attune_host::thread_index<uint3>())
#define blockIdx (::attune_host::block_index<uint3>())
#define blockDim (::attune_host::block_size<dim3>())
#define gridDim (::attune_host::grid_size<dim3>())
#define warpSize 32

// ---- Barriers of a block ----

__forceinline__ void __syncthreads() {
  attune_host::runtime->sync_block(attune_host::BlockVote::none, 0, "__syncthreads");
}
__forceinline__ int __syncthreads_count(int predicate) {
  return attune_host::runtime->sync_block(attune_host::BlockVote::count, predicate != 0, "__syncthreads_count");
}
__forceinline__ int __syncthreads_and(int predicate) {
  return attune_host::runtime->sync_block(attune_host::BlockVote::all, predicate != 0, "__syncthreads_and");
}
__forceinline__ int __syncthreads_or(int predicate) {
  return attune_host::runtime->sync_block(attune_host::BlockVote::any, predicate != 0, "__syncthreads_or");
}

// ---- Warps ----

namespace attune_host {

// What the lanes of a warp brought to one meeting.
struct Meeting {
  unsigned long long values[32];
  unsigned lanes;  // who took part
  Meeting(unsigned mask, unsigned long long value, const char* name) {
    lanes = runtime->exchange(mask, value, values, name);
  }
  bool has(unsigned lane) const { return lanes >> lane & 1u; }
};

template <class T>
unsigned long long to_word(T value) {
  unsigned long long word = 0;
  __builtin_memcpy(&word, &value, sizeof value);
  return word;
}

enum class Shuffle { index, up, down, exclusive_or };

// As PTX specifies `shfl.sync`: only five bits of the distance count; a source outside the lane's segment, or one that
// does not take part, gives the lane its own value.
template <class T>
T shuffle(Shuffle kind, unsigned mask, T value, unsigned b, int width, const char* name) {
  const Meeting meeting(mask, to_word(value), name);
  const unsigned own = lane(), segment_mask = (32u - static_cast<unsigned>(width)) & 31u;
  const unsigned first = own & segment_mask, last = first | (~segment_mask & 31u);
  b &= 31u;
  int source = 0;
  if (kind == Shuffle::index) source = static_cast<int>(first | (b & ~segment_mask));
  if (kind == Shuffle::up) source = static_cast<int>(own) - static_cast<int>(b);
  if (kind == Shuffle::down) source = static_cast<int>(own + b);
  if (kind == Shuffle::exclusive_or) source = static_cast<int>(own ^ b);
  const bool inside = kind == Shuffle::up ? source >= static_cast<int>(first) : source <= static_cast<int>(last);
  if (!inside || !meeting.has(static_cast<unsigned>(source))) return value;
  return bits_to<T>(meeting.values[source]);
}

template <class Combine>
unsigned combine_votes(unsigned mask, int predicate, const char* name, Combine combine) {
  const Meeting meeting(mask, predicate != 0, name);
  unsigned ballot = 0;
  for (unsigned i = 0; i < 32; ++i) ballot |= meeting.has(i) && meeting.values[i] != 0 ? 1u << i : 0u;
  return combine(ballot, meeting.lanes);
}

inline unsigned match_any(unsigned mask, unsigned long long word, const char* name) {
  const Meeting meeting(mask, word, name);
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) same |= meeting.has(i) && meeting.values[i] == word ? 1u << i : 0u;
  return same;
}

inline unsigned match_all(unsigned mask, unsigned long long word, int* predicate, const char* name) {
  const Meeting meeting(mask, word, name);
  for (unsigned i = 0; i < 32; ++i) {
    if (meeting.has(i) && meeting.values[i] != word) {
      *predicate = 0;
      return 0;
    }
  }
  *predicate = 1;
  return meeting.lanes;
}

template <class T, class Combine>
T reduce_lanes(unsigned mask, T value, const char* name, Combine combine) {
  const Meeting meeting(mask, to_word(value), name);
  T result = value;
  for (unsigned i = 0; i < 32; ++i) {
    if (meeting.has(i) && i != lane()) result = combine(result, bits_to<T>(meeting.values[i]));
  }
  return result;
}

}  // namespace attune_host

__forceinline__ void __syncwarp(unsigned mask = 0xffffffffu) {
  attune_host::Meeting(mask, 0, "__syncwarp");
  attune_host::count_operation();
}
__forceinline__ unsigned __activemask() { return attune_host::runtime->active_mask(); }

#define ATTUNE_HOST_WARP(T)                                                                                           \
  inline T __shfl_sync(unsigned mask, T value, int source, int width = 32) {                                          \
    return attune_host::shuffle(attune_host::Shuffle::index, mask, value, static_cast<unsigned>(source), width,       \
                                "__shfl_sync");                                                                       \
  }                                                                                                                   \
  inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {                                   \
    return attune_host::shuffle(attune_host::Shuffle::up, mask, value, delta, width, "__shfl_up_sync");               \
  }                                                                                                                   \
  inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {                                 \
    return attune_host::shuffle(attune_host::Shuffle::down, mask, value, delta, width, "__shfl_down_sync");           \
  }                                                                                                                   \
  inline T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {                                       \
    return attune_host::shuffle(attune_host::Shuffle::exclusive_or, mask, value, static_cast<unsigned>(lanes), width, \
                                "__shfl_xor_sync");                                                                   \
  }                                                                                                                   \
  inline unsigned __match_any_sync(unsigned mask, T value) {                                                          \
    return attune_host::match_any(mask, attune_host::to_word(value), "__match_any_sync");                             \
  }                                                                                                                   \
  inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) {                                          \
    return attune_host::match_all(mask, attune_host::to_word(value), predicate, "__match_all_sync");                  \
  }
ATTUNE_HOST_WARP(int)
ATTUNE_HOST_WARP(unsigned int)
ATTUNE_HOST_WARP(long)
ATTUNE_HOST_WARP(unsigned long)
ATTUNE_HOST_WARP(long long)
ATTUNE_HOST_WARP(unsigned long long)
ATTUNE_HOST_WARP(float)
ATTUNE_HOST_WARP(double)
#undef ATTUNE_HOST_WARP

inline unsigned __ballot_sync(unsigned mask, int predicate) {
  return attune_host::combine_votes(mask, predicate, "__ballot_sync", [](unsigned ballot, unsigned) { return ballot; });
}
inline int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(attune_host::combine_votes(mask, predicate, "__any_sync",
                                                     [](unsigned ballot, unsigned) { return unsigned{ballot != 0}; }));
}
inline int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(attune_host::combine_votes(
      mask, predicate, "__all_sync", [](unsigned ballot, unsigned lanes) { return unsigned{ballot == lanes}; }));
}
inline int __uni_sync(unsigned mask, int predicate) {
  return static_cast<int>(attune_host::combine_votes(
      mask, predicate, "__uni_sync",
      [](unsigned ballot, unsigned lanes) { return unsigned{ballot == 0 || ballot == lanes}; }));
}

#define ATTUNE_HOST_REDUCE(NAME, T, EXPRESSION)                                 \
  inline T __reduce_##NAME##_sync(unsigned mask, T value) {                     \
    return attune_host::reduce_lanes(mask, value, "__reduce_" #NAME "_sync",    \
                                     [](T a, T b) -> T { return EXPRESSION; }); \
  }
ATTUNE_HOST_REDUCE(add, unsigned int, a + b)
ATTUNE_HOST_REDUCE(add, int, a + b)
ATTUNE_HOST_REDUCE(min, unsigned int, a < b ? a : b)
ATTUNE_HOST_REDUCE(min, int, a < b ? a : b)
ATTUNE_HOST_REDUCE(max, unsigned int, a < b ? b : a)
ATTUNE_HOST_REDUCE(max, int, a < b ? b : a)
ATTUNE_HOST_REDUCE(and, unsigned int, a& b)
ATTUNE_HOST_REDUCE(or, unsigned int, a | b)
ATTUNE_HOST_REDUCE(xor, unsigned int, a ^ b)
#undef ATTUNE_HOST_REDUCE

// ---- Atomics ----

namespace attune_host {

template <unsigned BYTES>
struct AtomicWord;
template <>
struct AtomicWord<2> {
  using type = unsigned short;
};
template <>
struct AtomicWord<4> {
  using type = unsigned int;
};
template <>
struct AtomicWord<8> {
  using type = unsigned long long;
};

// Replaces the value at `address` by update(old) and returns old.
template <class T, class Update>
T atomic_update(volatile T* address, Update update) {
  using Word = typename AtomicWord<sizeof(T)>::type;
  volatile Word* place = reinterpret_cast<volatile Word*>(address);
  Word seen = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &seen, bits_to<Word>(static_cast<T>(update(bits_to<T>(seen)))), true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  count_operation();
  return bits_to<T>(seen);
}

// `expected` becomes what was found.
template <class T>
T atomic_compare_exchange(volatile T* address, T expected, T value) {
  __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
  count_operation();
  return expected;
}

template <class T>
T done(T old) {
  count_operation();
  return old;
}

}  // namespace attune_host

// Each function for the scopes device (no suffix), block and system: the same thing here. Pointers to volatile are
// taken too, where CUDA wants a cast.
#define ATTUNE_HOST_ATOMIC_SCOPES(X, T) \
  X(T, )                                \
  X(T, _block)                          \
  X(T, _system)

#define ATTUNE_HOST_ATOMIC_INTEGER(T, SCOPE)                                                          \
  __forceinline__ T atomicAdd##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_add(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicSub##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_sub(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicAnd##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_and(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicOr##SCOPE(volatile T* address, T value) {                                   \
    return attune_host::done(__atomic_fetch_or(address, value, __ATOMIC_RELAXED));                    \
  }                                                                                                   \
  __forceinline__ T atomicXor##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::done(__atomic_fetch_xor(address, value, __ATOMIC_RELAXED));                   \
  }                                                                                                   \
  __forceinline__ T atomicExch##SCOPE(volatile T* address, T value) {                                 \
    return attune_host::done(__atomic_exchange_n(address, value, __ATOMIC_RELAXED));                  \
  }                                                                                                   \
  __forceinline__ T atomicCAS##SCOPE(volatile T* address, T expected, T value) {                      \
    return attune_host::atomic_compare_exchange(address, expected, value);                            \
  }                                                                                                   \
  __forceinline__ T atomicMin##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::atomic_update(address, [value](T old) { return value < old ? value : old; }); \
  }                                                                                                   \
  __forceinline__ T atomicMax##SCOPE(volatile T* address, T value) {                                  \
    return attune_host::atomic_update(address, [value](T old) { return old < value ? value : old; }); \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, int)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, unsigned int)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, long)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, unsigned long)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, long long)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_INTEGER, unsigned long long)
#undef ATTUNE_HOST_ATOMIC_INTEGER

#define ATTUNE_HOST_ATOMIC_WRAPPING(T, SCOPE)                                                                      \
  __forceinline__ T atomicInc##SCOPE(volatile T* address, T last) {                                                \
    return attune_host::atomic_update(address, [last](T old) { return old >= last ? 0u : old + 1; });              \
  }                                                                                                                \
  __forceinline__ T atomicDec##SCOPE(volatile T* address, T last) {                                                \
    return attune_host::atomic_update(address, [last](T old) { return old == 0 || old > last ? last : old - 1; }); \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_WRAPPING, unsigned int)
#undef ATTUNE_HOST_ATOMIC_WRAPPING

#define ATTUNE_HOST_ATOMIC_FLOATING(T, SCOPE)                                           \
  __forceinline__ T atomicAdd##SCOPE(volatile T* address, T value) {                    \
    return attune_host::atomic_update(address, [value](T old) { return old + value; }); \
  }                                                                                     \
  __forceinline__ T atomicExch##SCOPE(volatile T* address, T value) {                   \
    return attune_host::atomic_update(address, [value](T) { return value; });           \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_FLOATING, float)
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_FLOATING, double)
#undef ATTUNE_HOST_ATOMIC_FLOATING

#define ATTUNE_HOST_ATOMIC_SHORT(T, SCOPE)                                       \
  __forceinline__ T atomicCAS##SCOPE(volatile T* address, T expected, T value) { \
    return attune_host::atomic_compare_exchange(address, expected, value);       \
  }
ATTUNE_HOST_ATOMIC_SCOPES(ATTUNE_HOST_ATOMIC_SHORT, unsigned short)
#undef ATTUNE_HOST_ATOMIC_SHORT
#undef ATTUNE_HOST_ATOMIC_SCOPES

__forceinline__ void __nanosleep(unsigned) { attune_host::runtime->yield(); }

// ---- Fences and cache hints ----

namespace attune_host {
inline void fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  count_operation();
}
}  // namespace attune_host

__forceinline__ void __threadfence() { attune_host::fence(); }
__forceinline__ void __threadfence_block() { attune_host::fence(); }
__forceinline__ void __threadfence_system() { attune_host::fence(); }

namespace attune_host {

template <class T>
inline constexpr bool is_number = false;
#define ATTUNE_HOST_NUMBER(T) \
  template <>                 \
  inline constexpr bool is_number<T> = true;
ATTUNE_HOST_NUMBER(char)
ATTUNE_HOST_NUMBER(signed char)
ATTUNE_HOST_NUMBER(unsigned char)
ATTUNE_HOST_NUMBER(short)
ATTUNE_HOST_NUMBER(unsigned short)
ATTUNE_HOST_NUMBER(int)
ATTUNE_HOST_NUMBER(unsigned int)
ATTUNE_HOST_NUMBER(long)
ATTUNE_HOST_NUMBER(unsigned long)
ATTUNE_HOST_NUMBER(long long)
ATTUNE_HOST_NUMBER(unsigned long long)
ATTUNE_HOST_NUMBER(float)
ATTUNE_HOST_NUMBER(double)
#undef ATTUNE_HOST_NUMBER

template <class T>
concept Accessible = is_number<T> || is_vector<T>;

}  // namespace attune_host

#define ATTUNE_HOST_LOAD(NAME)               \
  template <attune_host::Accessible T>       \
  __forceinline__ T NAME(const T* address) { \
    return *address;                         \
  }
ATTUNE_HOST_LOAD(__ldg)
ATTUNE_HOST_LOAD(__ldca)
ATTUNE_HOST_LOAD(__ldcg)
ATTUNE_HOST_LOAD(__ldcs)
ATTUNE_HOST_LOAD(__ldlu)
#undef ATTUNE_HOST_LOAD

// "Don't cache and fetch again": never merged with an earlier load.
template <attune_host::Accessible T>
__forceinline__ T __ldcv(const T* address) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return *address;
}

#define ATTUNE_HOST_STORE(NAME)                                        \
  template <attune_host::Accessible T>                                 \
  __forceinline__ void NAME(T* address, decltype(T(*address)) value) { \
    *address = value;                                                  \
  }
ATTUNE_HOST_STORE(__stwb)
ATTUNE_HOST_STORE(__stcg)
ATTUNE_HOST_STORE(__stcs)
ATTUNE_HOST_STORE(__stwt)
#undef ATTUNE_HOST_STORE

// ---- Time ----

inline long long clock64() {
#if defined(__x86_64__) || defined(__i386__)
  return static_cast<long long>(__builtin_ia32_rdtsc());
#else
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
#endif
}
extern "C" long clock() noexcept { return clock64(); }

// ---- Traps and promises ----

[[noreturn]] inline void __trap() { attune_host::fault("__trap() was called"); }
[[noreturn]] inline void __brkpt() { attune_host::fault("__brkpt() was called"); }

#define ATTUNE_HOST_TEXT_OF(x) #x
#define ATTUNE_HOST_TEXT(x) ATTUNE_HOST_TEXT_OF(x)
#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...)           \
  ((__VA_ARGS__)              \
       ? static_cast<void>(0) \
       : ::attune_host::fault("assertion `" #__VA_ARGS__ "` failed at " __FILE__ ":" ATTUNE_HOST_TEXT(__LINE__)))
#endif

#if defined(__GLIBC__) && !defined(_ASSERT_H_DECLS)
// A kernel may include <assert.h> all the same: then a failure calls this instead of the C library's function, which
// would end the process. The C library's declaration is left out, since it promises to throw nothing, and a fault may
// unwind the fiber.
#define _ASSERT_H_DECLS
extern "C" [[noreturn]] __attribute__((visibility("hidden"))) void __assert_fail(const char* expression,
                                                                                 const char* file, unsigned line,
                                                                                 const char*) {
  char text[512];
  snprintf(text, sizeof text, "assertion `%s` failed at %s:%u", expression, file, line);
  attune_host::fault(text);
}
#endif

#if !defined(__clang__)
#define __builtin_assume(...) ((__VA_ARGS__) ? static_cast<void>(0) : __builtin_unreachable())
#endif
#define __assume(...) __builtin_assume(__VA_ARGS__)

#endif  // ATTUNE_HOST_CUDA_LANGUAGE_HPP
