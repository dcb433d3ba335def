// Functions of C in namespace std, and the part of <algorithm> that kernels use.
#pragma once
namespace std {
using ::abs;
using ::acos;
using ::acosh;
using ::asin;
using ::asinh;
using ::atan;
using ::atan2;
using ::atanh;
using ::cbrt;
using ::ceil;
using ::copysign;
using ::cos;
using ::cosh;
using ::erf;
using ::erfc;
using ::exp;
using ::exp2;
using ::expm1;
using ::fabs;
using ::fdim;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::free;
using ::frexp;
using ::hypot;
using ::ilogb;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::ldexp;
using ::lgamma;
using ::llrint;
using ::llround;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::logb;
using ::lrint;
using ::lround;
using ::malloc;
using ::memcpy;
using ::memset;
using ::modf;
using ::nearbyint;
using ::nextafter;
using ::pow;
using ::printf;
using ::remainder;
using ::rint;
using ::round;
using ::scalbn;
using ::signbit;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
using ::tgamma;
using ::trunc;
template <class attune_t>
__host__ __device__ constexpr const attune_t& min(const attune_t& attune_a, const attune_t& attune_b) {
  return attune_b < attune_a ? attune_b : attune_a;
}
template <class attune_t>
__host__ __device__ constexpr const attune_t& max(const attune_t& attune_a, const attune_t& attune_b) {
  return attune_a < attune_b ? attune_b : attune_a;
}
template <class attune_t>
__host__ __device__ constexpr const attune_t& clamp(const attune_t& attune_a, const attune_t& attune_low,
                                                    const attune_t& attune_high) {
  return attune_a < attune_low ? attune_low : attune_high < attune_a ? attune_high : attune_a;
}
template <class attune_t>
__host__ __device__ constexpr void swap(attune_t& attune_a, attune_t& attune_b) {
  attune_t attune_c = static_cast<attune_t&&>(attune_a);
  attune_a = static_cast<attune_t&&>(attune_b);
  attune_b = static_cast<attune_t&&>(attune_c);
}
}  // namespace std
