// Names of C's headers in namespace std, and the part of <algorithm> that kernels use.
#pragma once
namespace std {
using ::abs;
using ::acos;
using ::asin;
using ::atan;
using ::atan2;
using ::ceil;
using ::cos;
using ::cosh;
using ::erf;
using ::exp;
using ::exp2;
using ::fabs;
using ::floor;
using ::fma;
using ::fmax;
using ::fmin;
using ::fmod;
using ::free;
using ::isfinite;
using ::isinf;
using ::isnan;
using ::log;
using ::log10;
using ::log1p;
using ::log2;
using ::malloc;
using ::memcpy;
using ::memset;
using ::pow;
using ::printf;
using ::round;
using ::sin;
using ::sinh;
using ::sqrt;
using ::tan;
using ::tanh;
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
__host__ __device__ constexpr void swap(attune_t& attune_a, attune_t& attune_b) {
  attune_t attune_c = static_cast<attune_t&&>(attune_a);
  attune_a = static_cast<attune_t&&>(attune_b);
  attune_b = static_cast<attune_t&&>(attune_c);
}
}  // namespace std
