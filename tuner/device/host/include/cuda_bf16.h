// __nv_bfloat16 and __nv_bfloat162 for the host device, under the toolkit's name of their header. Written beside each
// kernel that the host compiles; `#include <cuda_bf16.h>` finds it first.
#ifndef ATTUNE_HOST_CUDA_BF16_H
#define ATTUNE_HOST_CUDA_BF16_H

#include "cuda_halves.hpp"

struct __nv_bfloat16_raw {
  unsigned short x;
};
struct __nv_bfloat16 : attune_host::SmallFloat<__nv_bfloat16, attune_host::Bfloat16Format> {
  using SmallFloat::SmallFloat;
  __nv_bfloat16() = default;
  __nv_bfloat16(__nv_bfloat16_raw raw) : __nv_bfloat16(of_bits<__nv_bfloat16>(raw.x)) {}
  operator __nv_bfloat16_raw() const { return {attune_bits}; }
  static __nv_bfloat16 rounded(double value, attune_host::Rounding rounding) {
    return of_bits<__nv_bfloat16>(attune_host::Bfloat16Format::from(value, rounding));
  }
};
struct alignas(4) __nv_bfloat162 : attune_host::SmallFloatPair<__nv_bfloat162, __nv_bfloat16> {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  __nv_bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) : x(low), y(high) {}
};
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;

ATTUNE_HOST_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162)

#endif  // ATTUNE_HOST_CUDA_BF16_H
