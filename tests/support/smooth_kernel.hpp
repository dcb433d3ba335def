// A kernel with an array by value: weights of neighbours.
#pragma once

namespace attune::test {

inline constexpr const char* smooth_file = R"cu(/*attune
[kernel]
name = "smooth"
[problem]
n = { size = 1000 }
radius = { size = 2 }
T = ["float", "int32"]
[parameters]
BLOCK = [64, 128]
[[launch]]
entry = "smooth<T, BLOCK, 2 * radius + 1>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "weights", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in", fill = "uniform(-9, 9)" }
weights = { type = "T", size = "2 * radius + 1", role = "in", pass = "value", fill = "uniform(-9, 9)" }
n = { type = "int64" }
[[reference]]
entry = "smooth_reference<T, 2 * radius + 1>"
grid = ["ceil_div(n, 256)"]
block = [256]
arguments = ["out", "in", "weights", "n"]
[check]
absolute = "epsilon(T) * 1024 * radius"
*/
#include "attune_array.cuh"

template <typename T, int BLOCK, int COUNT>
__global__ void smooth(T* out, const T* in, const __grid_constant__ attune::Array<T, COUNT> weights, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  for (int k = 0; k < weights.size(); ++k) {
    const long long at = i + k - COUNT / 2;
    if (at >= 0 && at < n) sum += weights[k] * in[at];
  }
  out[i] = sum;
}

template <typename T, int COUNT>
__global__ void smooth_reference(T* out, const T* in, attune::Array<T, COUNT> weights, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = COUNT - 1; k >= 0; --k) {
    const long long at = i + k - COUNT / 2;
    if (at >= 0 && at < n) sum += static_cast<double>(weights.elements[k]) * static_cast<double>(in[at]);
  }
  out[i] = static_cast<T>(sum);
}
)cu";

}  // namespace attune::test
