// The CUDA language for the host device, by the executor's Runtime (abi.hpp). It has keywords, indices, entries,
// barriers of a block, time and traps. Precedes every kernel source, after cuda_vectors.hpp; cuda_warps.hpp and
// cuda_atomics.hpp follow.
// One copy per compiled object; every CUDA thread is a fiber that stays on one OS thread. __CUDA_ARCH__ and __CUDACC__
// stay undefined: kernels use them for GPUs.
#ifndef ATTUNE_HOST_CUDA_LANGUAGE_HPP
#define ATTUNE_HOST_CUDA_LANGUAGE_HPP

// clock() of a kernel counts cycles. It is declared before <time.h>, so that this object has its own, hidden one.
extern "C" __attribute__((visibility("hidden"))) long clock() noexcept;

#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#define ATTUNE_HOST 1

typedef unsigned char uchar;  // <sys/types.h> has its relatives

// ---- Keywords ----

#define __global__
#define __device__
#define __host__
#define __managed__
// Not `static`: `static __constant__` is legal CUDA. Objects are compiled with hidden visibility.
#define __constant__
#define __grid_constant__
// Blocks run one at a time on an OS thread. Without `static`, which may stand in front of it. attune rewrites `extern`.
#define __shared__ thread_local
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
// Empty, as libstdc++ writes __attribute__((__noinline__)).
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __nv_pure__ __attribute__((pure))

// ---- The running thread ----

namespace attune_host {

// Not `inline`: an object is one translation unit.
__attribute__((visibility("hidden"))) thread_local Thread* current_thread_pointer = nullptr;
__attribute__((visibility("hidden"))) const Runtime* runtime = nullptr;

// During one activation of a kernel these never change, whatever else the fiber's OS thread does. `const` lets the
// compiler keep indices in registers across stores, barriers and loops. (A loaded object reaches thread-local storage
// by a call of some 4 ns: hence one pointer, then its members.)
#define ATTUNE_HOST_CONSTANT __attribute__((const, noinline))
ATTUNE_HOST_CONSTANT inline Thread* self() { return current_thread_pointer; }
// Text that is expanded inside of kernels has names beginning with attune: macros of a kernel may be called block_size.
#define ATTUNE_HOST_INDEX(NAME)                                                          \
  ATTUNE_HOST_CONSTANT inline unsigned NAME##_x(const Thread* of) { return of->NAME.x; } \
  ATTUNE_HOST_CONSTANT inline unsigned NAME##_y(const Thread* of) { return of->NAME.y; } \
  ATTUNE_HOST_CONSTANT inline unsigned NAME##_z(const Thread* of) { return of->NAME.z; } \
  template <class Triple>                                                                \
  __forceinline__ const Triple attune_##NAME() {                                         \
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

// The block's dynamic shared memory: `extern __shared__` arrays are rewritten to refer to it.
__forceinline__ void* dynamic_shared() { return __builtin_assume_aligned(dynamic_shared_of(self()), 256); }

// The same, as an array of the type of the reference that it initialises.
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

// A static shared variable of sanitized code, between bytes that nothing may touch. `__shared__` declarations are
// rewritten to this under sanitizers. Value is a structure that holds only the variable.
template <class Value>
struct Fenced {
  static constexpr unsigned fence = 64;
  alignas(64) char before[fence];
  Value value;
  char after[fence];
  explicit Fenced(const char* name) { runtime->fence(name, &value, sizeof value, fence); }
  ~Fenced() { runtime->unfence(&value); }
};

// Fibers do not preempt each other. A thread that waits in a loop must let others run now and then: atomics, fences and
// __syncwarp do so. Yielding at each would make a histogram a long series of switches; one in 16 keeps both costs
// small.
inline constexpr unsigned operations_per_yield = 16;

__forceinline__ void count_operation() {
  if (++self()->operations % operations_per_yield == 0) runtime->yield();
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
void attune_invoke(void (*kernel)(A...), void** parameters) {
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

// The functions of an object that the executor looks up.
extern "C" {
__attribute__((visibility("default"))) unsigned attune_host_abi_version() { return attune_host::host_abi_version; }
__attribute__((visibility("default"))) void attune_host_set_runtime(const attune_host::Runtime* runtime) {
  attune_host::runtime = runtime;
}
__attribute__((visibility("default"))) attune_host::Thread** attune_host_current_slot() {
  return &attune_host::current_thread_pointer;
}
}

#define threadIdx (::attune_host::attune_thread_index<uint3>())
#define blockIdx (::attune_host::attune_block_index<uint3>())
#define blockDim (::attune_host::attune_block_size<::dim3>())
#define gridDim (::attune_host::attune_grid_size<::dim3>())
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
// A kernel may include <assert.h>: a failure then calls this instead of the C library's function, which ends the
// process. The library's declaration is left out: it promises not to throw, and a fault may unwind the fiber.
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
