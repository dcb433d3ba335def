// Accesses to global memory beside those of attune.cuh.
#pragma once

#include "attune.cuh"

namespace attune {

/// A third hint, of load_hinted() alone: the L2 cache evicts the data last. They stay there behind the launch, until as
/// much of other data comes that is kept. (Enumerators of attune.cuh are in the fingerprints of all kernels.)
constexpr Cache kept = static_cast<Cache>(2);

/// Reads one P, as load() does. What is `kept` has 16 bytes and sm_80; else it is plain.
template <Cache CACHE, typename P>
__device__ __forceinline__ P load_hinted(const P* from) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  if constexpr (CACHE == kept && sizeof(P) == 16) {
    P value;
    int4& word = reinterpret_cast<int4&>(value);
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.v4.s32 {%0, %1, %2, %3}, [%4], %5;"
                 : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
                 : "l"(from), "l"(policy)
                 : "memory");
    return value;
  }
#endif
  return load<CACHE>(from);
}

/// Writes one P, as store() does, in one access whatever it was made of. The compiler splits a plain assignment of what
/// a thread has put together in registers.
template <Cache CACHE, typename P>
__device__ __forceinline__ void store_whole(P* to, const P& value) {
  using Word = typename detail::WordOf<sizeof(P)>::type;
  if constexpr (CACHE == Cache::streaming) {
    store<CACHE>(to, value);
  } else {
    __stwb(reinterpret_cast<Word*>(to), reinterpret_cast<const Word&>(value));
  }
}

/// Reads one P through the read-only path, as textures are read (ld.global.nc). `from` must be aligned for P.
template <typename P>
__device__ __forceinline__ P load_read_only(const P* from) {
  using Word = typename detail::WordOf<sizeof(P)>::type;
  P value;
  reinterpret_cast<Word&>(value) = __ldg(reinterpret_cast<const Word*>(from));
  return value;
}

/// Does so with what a block reads again and again, beside what it reads once: the L1 cache is to keep it.
template <typename P>
__device__ __forceinline__ P load_reused(const P* from) {
#ifdef __CUDA_ARCH__
  using Word = typename detail::WordOf<sizeof(P)>::type;
  P value;
  Word& word = reinterpret_cast<Word&>(value);
  if constexpr (sizeof(P) == 16) {
    asm("ld.global.nc.L1::evict_last.v4.s32 {%0, %1, %2, %3}, [%4];"
        : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
        : "l"(from));
    return value;
  } else if constexpr (sizeof(P) == 8) {
    asm("ld.global.nc.L1::evict_last.v2.s32 {%0, %1}, [%2];" : "=r"(word.x), "=r"(word.y) : "l"(from));
    return value;
  } else if constexpr (sizeof(P) == 4) {
    asm("ld.global.nc.L1::evict_last.s32 %0, [%1];" : "=r"(word) : "l"(from));
    return value;
  }
#endif
  return load_read_only(from);
}

/// Returns how many of the array's `n` elements stand before its first pack of VECTOR elements. An application may pass
/// a pointer that is aligned for single elements only. Fewer elements than a pack has are all before it.
template <int VECTOR, typename T>
__device__ __forceinline__ int length_of_head(const T* array, long long n) {
  const int misaligned = static_cast<int>(reinterpret_cast<unsigned long long>(array) / sizeof(T) % VECTOR);
  return static_cast<int>(n < VECTOR ? n : (VECTOR - misaligned) % VECTOR);
}

}  // namespace attune
