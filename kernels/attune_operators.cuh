// What reductions and scans combine values by. Kernels offer Op as a choice of their problem.
//
//   Op                sum, min or max
//   Operator<OP, T>   its Value, identity(), combine(a, b), from(T), to_element(Value)
//   combine_warp      the result over a warp, by shuffles
//
// Sums are formed in Accumulator<T>: integers wrap. Minimum and maximum are exact; a NaN wins over every number. So
// the result does not depend on the order, but for the sign of a zero.
#pragma once

#include "attune.cuh"

namespace attune {

enum class Op { sum, min, max };

namespace detail {

// The largest value of T; its negative, or for integers the lowest value, is `lowest`.
template <typename T>
struct Extremes {
  static constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  static constexpr T half_range = static_cast<T>(static_cast<T>(1) << (sizeof(T) * 8 - 2));
  __device__ static T largest() {
    return is_signed ? static_cast<T>(half_range - 1 + half_range) : static_cast<T>(~static_cast<T>(0));
  }
  __device__ static T lowest() { return is_signed ? static_cast<T>(-largest() - 1) : static_cast<T>(0); }
};
template <>
struct Extremes<float> {
  __device__ static float largest() { return __int_as_float(0x7f800000); }
  __device__ static float lowest() { return -largest(); }
};
template <>
struct Extremes<double> {
  __device__ static double largest() { return __longlong_as_double(0x7ff0000000000000LL); }
  __device__ static double lowest() { return -largest(); }
};

// Minimum and maximum need the element's own sign, so integers stay as they are; half and bfloat16 compare as float.
template <typename T>
struct ComparedAs {
  using type = T;
};
#ifdef ATTUNE_HAS_HALF
template <>
struct ComparedAs<__half> {
  using type = float;
};
#endif
#ifdef ATTUNE_HAS_BFLOAT16
template <>
struct ComparedAs<__nv_bfloat16> {
  using type = float;
};
#endif

}  // namespace detail

/// How elements of T are combined. Associative and commutative, up to the rounding of floating-point sums.
template <Op OP, typename T>
struct Operator;

template <typename T>
struct Operator<Op::sum, T> {
  using Value = Accumulator<T>;
  __device__ __forceinline__ static Value identity() { return Value(0); }
  __device__ __forceinline__ static Value combine(Value a, Value b) { return a + b; }
  __device__ __forceinline__ static Value from(T element) { return static_cast<Value>(element); }
  __device__ __forceinline__ static T to_element(Value value) { return static_cast<T>(value); }
};

template <typename T>
struct Operator<Op::min, T> {
  using Value = typename detail::ComparedAs<T>::type;
  __device__ __forceinline__ static Value identity() { return detail::Extremes<Value>::largest(); }
  __device__ __forceinline__ static Value combine(Value a, Value b) { return b < a || b != b ? b : a; }
  __device__ __forceinline__ static Value from(T element) { return static_cast<Value>(element); }
  __device__ __forceinline__ static T to_element(Value value) { return static_cast<T>(value); }
};

template <typename T>
struct Operator<Op::max, T> {
  using Value = typename detail::ComparedAs<T>::type;
  __device__ __forceinline__ static Value identity() { return detail::Extremes<Value>::lowest(); }
  __device__ __forceinline__ static Value combine(Value a, Value b) { return a < b || b != b ? b : a; }
  __device__ __forceinline__ static Value from(T element) { return static_cast<Value>(element); }
  __device__ __forceinline__ static T to_element(Value value) { return static_cast<T>(value); }
};

/// Returns, in lane 0, the combination over the warp. All 32 lanes call it.
template <typename Operator, typename Value>
__device__ __forceinline__ Value combine_warp(Value value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    value = Operator::combine(value, __shfl_down_sync(0xffffffffu, value, distance));
  return value;
}

}  // namespace attune
