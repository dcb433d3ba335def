// What every kernel may count on, and the only header that kernels include. One text for three compilers: nvcc, NVRTC
// (no host headers, no <cstdint>) and the host device's g++. Nothing here is a kernel; everything is inlined.
//
//   Pack<T, N>        N neighbouring elements that move in one access
//   load, store       one access with a cache hint
//   Accumulator<T>    the type to add and multiply in;  Wide<T>: the type for references
//   aligned<P>        may this pointer be read as P?
//
// attune spells its types int8 `signed char`, int16 `short`, int32 `int`, int64 `long long`, half `__half`, bfloat16
// `__nv_bfloat16`. Indices into arrays are `long long`: arrays of more than 2^31 elements are ordinary.
#pragma once

// attune defines ATTUNE_HALF and ATTUNE_BFLOAT16 for NVRTC only where the problem uses that type, because the toolkit's
// headers triple the compile time and may be absent. Plain nvcc has them at hand and instantiates what it likes.
#if defined(ATTUNE_HALF) || (defined(__CUDACC__) && !defined(__CUDACC_RTC__))
#include <cuda_fp16.h>
#define ATTUNE_HAS_HALF 1
#endif
#if defined(ATTUNE_BFLOAT16) || (defined(__CUDACC__) && !defined(__CUDACC_RTC__))
#include <cuda_bf16.h>
#define ATTUNE_HAS_BFLOAT16 1
#endif

namespace attune {

// ---- Types ----

namespace detail {

// Integers compute unsigned, so that overflow wraps (modulo 2^n, in any order the same) instead of being undefined.
template <typename T>
struct Arithmetic {
  using accumulator = T;
  using wide = double;
};
template <typename Unsigned>
struct IntegerArithmetic {
  using accumulator = Unsigned;
  using wide = unsigned long long;
};
template <>
struct Arithmetic<signed char> : IntegerArithmetic<unsigned int> {};
template <>
struct Arithmetic<unsigned char> : IntegerArithmetic<unsigned int> {};
template <>
struct Arithmetic<short> : IntegerArithmetic<unsigned int> {};
template <>
struct Arithmetic<unsigned short> : IntegerArithmetic<unsigned int> {};
template <>
struct Arithmetic<int> : IntegerArithmetic<unsigned int> {};
template <>
struct Arithmetic<unsigned int> : IntegerArithmetic<unsigned int> {};
template <>
struct Arithmetic<long long> : IntegerArithmetic<unsigned long long> {};
template <>
struct Arithmetic<unsigned long long> : IntegerArithmetic<unsigned long long> {};
struct HalfArithmetic {
  using accumulator = float;
  using wide = double;
};
#ifdef ATTUNE_HAS_HALF
template <>
struct Arithmetic<__half> : HalfArithmetic {};
#endif
#ifdef ATTUNE_HAS_BFLOAT16
template <>
struct Arithmetic<__nv_bfloat16> : HalfArithmetic {};
#endif

// The machine word that moves BYTES bytes in one access.
template <int BYTES>
struct WordOf;
template <>
struct WordOf<1> {
  using type = signed char;
};
template <>
struct WordOf<2> {
  using type = short;
};
template <>
struct WordOf<4> {
  using type = int;
};
template <>
struct WordOf<8> {
  using type = int2;
};
template <>
struct WordOf<16> {
  using type = int4;
};

}  // namespace detail

/// The type in which sums and products of T are formed: float for half and bfloat16, unsigned for integers, else T.
template <typename T>
using Accumulator = typename detail::Arithmetic<T>::accumulator;

/// The type in which a reference computes: double, or 64-bit unsigned for integers (the low bits are exact).
template <typename T>
using Wide = typename detail::Arithmetic<T>::wide;

// ---- Accesses ----

/// Cache hint of an access. Streaming data is evicted first: it makes room for what is read again.
enum class Cache { plain, streaming };

/// N neighbouring elements, at most 16 bytes, the widest single access of every architecture.
template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  static_assert(sizeof(T) * N <= 16, "an access moves at most 16 bytes");
  T element[N];
};

/// Is `address` aligned for accesses of type P? An application guarantees the alignment of single elements only.
template <typename P>
__device__ __forceinline__ bool aligned(const void* address) {
  return reinterpret_cast<unsigned long long>(address) % alignof(P) == 0;
}

/// Reads one P (an element or a Pack) in one access. `from` must be aligned for P.
template <Cache CACHE, typename P>
__device__ __forceinline__ P load(const P* from) {
  using Word = typename detail::WordOf<sizeof(P)>::type;
  P value;
  // Through the word type, because the hinted intrinsics know no structs.
  if constexpr (CACHE == Cache::streaming) {
    reinterpret_cast<Word&>(value) = __ldcs(reinterpret_cast<const Word*>(from));
  } else {
    reinterpret_cast<Word&>(value) = *reinterpret_cast<const Word*>(from);
  }
  return value;
}

/// Writes one P (an element or a Pack) in one access. `to` must be aligned for P.
template <Cache CACHE, typename P>
__device__ __forceinline__ void store(P* to, const P& value) {
  using Word = typename detail::WordOf<sizeof(P)>::type;
  if constexpr (CACHE == Cache::streaming) {
    __stcs(reinterpret_cast<Word*>(to), reinterpret_cast<const Word&>(value));
  } else {
    *reinterpret_cast<Word*>(to) = reinterpret_cast<const Word&>(value);
  }
}

}  // namespace attune
