// A few elements that a kernel gets by value, among its parameters: an argument with `pass = "value"`. All threads read
// them through the constant cache, without a load from global memory.
//
//   __global__ void smooth(float* out, const float* in, const __grid_constant__ attune::Array<float, 5> weights)
//
// With __grid_constant__ an index that only the running kernel knows costs no copy of the array.
#pragma once

namespace attune {

template <typename T, int N>
struct Array {
  static_assert(N > 0, "an array that is passed by value has elements");
  using element_type = T;
  T elements[N];

  __host__ __device__ constexpr const T& operator[](int i) const { return elements[i]; }
  __host__ __device__ static constexpr int size() { return N; }
};

}  // namespace attune
