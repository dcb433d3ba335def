// The numbers of a pack as floats, and sums of floats.
//
//   floats_of, pack_of, maximum_of   a pack as floats and back, and the largest of its numbers
//   forget_floats                    a pack takes its own registers alone between two passes over it
//   sum_by_pairs, sum_of_squares     of a pack's floats
//   CompensatedSum, PlainSum         a sum of floats whose error does not grow with their number; one of few floats
#pragma once

#include "attune.cuh"

namespace attune {

// ---- Numbers of a pack ----

namespace detail {

template <typename T>
constexpr bool is_half_a_float = false;
#ifdef ATTUNE_HAS_BFLOAT16
template <>
constexpr bool is_half_a_float<__nv_bfloat16> = true;
#endif

}  // namespace detail

template <typename T, int VECTOR>
__device__ __forceinline__ void floats_of(const Pack<T, VECTOR>& pack, float (&numbers)[VECTOR]) {
  if constexpr (detail::is_half_a_float<T> && VECTOR % 2 == 0) {
    // A bfloat16 is the upper half of a float, an instruction away. The toolkit's conversion takes two for every other
    // element.
#pragma unroll
    for (int k = 0; k < VECTOR; k += 2) {
      const unsigned two = reinterpret_cast<const unsigned*>(&pack)[k / 2];
      numbers[k] = __uint_as_float(two << 16);
      numbers[k + 1] = __uint_as_float(two & 0xffff0000u);
    }
  } else {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) numbers[k] = static_cast<float>(pack.element[k]);
  }
}

namespace detail {

// Two numbers are rounded in one instruction.
template <typename T>
struct Pair {
  static constexpr bool known = false;
};
#ifdef ATTUNE_HAS_HALF
template <>
struct Pair<__half> {
  static constexpr bool known = true;
  __device__ __forceinline__ static __half2 of(float a, float b) { return __floats2half2_rn(a, b); }
};
#endif
#ifdef ATTUNE_HAS_BFLOAT16
template <>
struct Pair<__nv_bfloat16> {
  static constexpr bool known = true;
  __device__ __forceinline__ static __nv_bfloat162 of(float a, float b) { return __floats2bfloat162_rn(a, b); }
};
#endif

}  // namespace detail

template <typename T, int VECTOR>
__device__ __forceinline__ Pack<T, VECTOR> pack_of(const float (&numbers)[VECTOR]) {
  Pack<T, VECTOR> pack;
  if constexpr (detail::Pair<T>::known && VECTOR % 2 == 0) {
#pragma unroll
    for (int k = 0; k < VECTOR; k += 2) {
      const auto pair = detail::Pair<T>::of(numbers[k], numbers[k + 1]);
      pack.element[k] = pair.x;
      pack.element[k + 1] = pair.y;
    }
  } else {
#pragma unroll
    for (int k = 0; k < VECTOR; ++k) pack.element[k] = static_cast<T>(numbers[k]);
  }
  return pack;
}

/// The largest number of a pack, as a float. NaN is left out, unless there is nothing else.
template <typename T, int VECTOR>
__device__ __forceinline__ float maximum_of(const Pack<T, VECTOR>& pack) {
  if constexpr (detail::Pair<T>::known && VECTOR % 2 == 0) {
    using Two = decltype(detail::Pair<T>::of(0.0f, 0.0f));
    const Two* const pairs = reinterpret_cast<const Two*>(pack.element);
    Two most = pairs[0];
#pragma unroll
    for (int i = 1; i < VECTOR / 2; ++i) most = __hmax2(most, pairs[i]);
    return fmaxf(static_cast<float>(most.x), static_cast<float>(most.y));
  } else {
    float most = static_cast<float>(pack.element[0]);
#pragma unroll
    for (int k = 1; k < VECTOR; ++k) most = fmaxf(most, static_cast<float>(pack.element[k]));
    return most;
  }
}

/// Called between two passes over a pack. The compiler knows that it has not changed, and would keep its elements as
/// floats: twice the registers. It does not know that `zero` is 0. (An empty `asm volatile` hides nothing from ptxas.)
template <typename P>
__device__ __forceinline__ void forget_floats(P& pack, unsigned zero) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(pack.element[0]) < 4 && sizeof(P) >= 4) {
#pragma unroll
    for (int i = 0; i < static_cast<int>(sizeof(P) / 4); ++i) reinterpret_cast<unsigned*>(&pack)[i] += zero;
  }
#endif
}

// ---- Sums of floats ----

/// Adds floats, for few of them: n additions have a relative error of n epsilon(float) / 2, if all are positive.
struct PlainSum {
  float sum = -0.0f;  // the first addition costs nothing then

  __device__ __forceinline__ void add(float number) { sum += number; }
  __device__ __forceinline__ float total() const { return sum; }
};

/// Adds floats and carries what rounding loses (W. Kahan, 1965). The relative error of a sum of positive numbers is at
/// most epsilon(float), however many there are. An infinite number makes it NaN.
struct CompensatedSum {
  float sum = 0, lost = 0;

  __device__ __forceinline__ void add(float number) {
    const float corrected = number - lost, next = sum + corrected;
    lost = (next - sum) - corrected;
    sum = next;
  }
  __device__ __forceinline__ float total() const { return sum - lost; }
  __device__ __forceinline__ void scale(float factor) {
    sum *= factor;
    lost *= factor;
  }
};

/// The sum of neighbours two by two: that of 2^k equal numbers is exact.
template <int COUNT>
__device__ __forceinline__ float sum_by_pairs(const float (&x)[COUNT]) {
  static_assert((COUNT & (COUNT - 1)) == 0, "a power of two");
  float sum[COUNT];
#pragma unroll
  for (int k = 0; k < COUNT; ++k) sum[k] = x[k];
#pragma unroll
  for (int half = COUNT / 2; half > 0; half /= 2)
#pragma unroll
    for (int k = 0; k < half; ++k) sum[k] = sum[2 * k] + sum[2 * k + 1];
  return sum[0];
}

/// The sum of the squares of some numbers, in two halves.
template <int COUNT>
__device__ __forceinline__ float sum_of_squares(const float (&x)[COUNT]) {
  static_assert(COUNT % 2 == 0, "two halves");
  float first = x[0] * x[0], second = x[COUNT / 2] * x[COUNT / 2];
#pragma unroll
  for (int k = 1; k < COUNT / 2; ++k) {
    first = fmaf(x[k], x[k], first);
    second = fmaf(x[k + COUNT / 2], x[k + COUNT / 2], second);
  }
  return first + second;
}

}  // namespace attune
