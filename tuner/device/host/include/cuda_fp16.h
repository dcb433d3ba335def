// __half and __half2 for the host device, under the toolkit's name of their header. Written beside each kernel that the
// host compiles; `#include <cuda_fp16.h>` finds it first.
#ifndef ATTUNE_HOST_CUDA_FP16_H
#define ATTUNE_HOST_CUDA_FP16_H

#include "cuda_halves.hpp"

struct __half_raw {
  unsigned short x;
};
struct __half : attune_host::SmallFloat<__half, attune_host::HalfFormat> {
  using SmallFloat::SmallFloat;
  __half() = default;
  __half(__half_raw raw) : __half(of_bits<__half>(raw.x)) {}
  operator __half_raw() const { return {attune_bits}; }
  static __half rounded(double value, attune_host::Rounding rounding) {
    return of_bits<__half>(attune_host::HalfFormat::from(value, rounding));
  }
};
struct alignas(4) __half2 : attune_host::SmallFloatPair<__half2, __half> {
  __half x, y;
  __half2() = default;
  __half2(__half low, __half high) : x(low), y(high) {}
};
using half = __half;
using half2 = __half2;

ATTUNE_HOST_SMALL_FLOAT(__half, __half2, half, half2)

#endif  // ATTUNE_HOST_CUDA_FP16_H
