/*attune
[kernel]
name = "filtered"
summary = "out[i] = sum over k of filter[k] * in[i + k], of a ring; the filter is a variable of the code"
[problem]
n = { size = 1048576, host = 5000 }
taps = { size = 7 }
T = ["float", "double"]
[parameters]
BLOCK = [256, 128]
[restrictions]
rules = ["taps <= 32"]
[[launch]]
entry = "filtered<T, BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "taps"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in", fill = "uniform(-100, 100)" }
filter = { type = "T", size = "taps", role = "in", fill = "uniform(-8, 8)", symbol = "constants::filter<T>" }
n = { type = "int32" }
taps = { type = "int32" }
[[reference]]
entry = "filtered_reference<T>"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["out", "in", "n", "taps"]
[check]
absolute = "taps * 1000 * epsilon(T)"
*/
namespace constants {
template <typename T>
__constant__ T filter[32];
}

template <typename T, int BLOCK>
__global__ void filtered(T* out, const T* in, int n, int taps) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  T sum = 0;
  for (int k = 0; k < taps; ++k) sum += constants::filter<T>[k] * in[(i + k) % n];
  out[i] = sum;
}

template <typename T>
__global__ void filtered_reference(T* out, const T* in, int n, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double sum = 0;
  for (int k = 0; k < taps; ++k) sum += static_cast<double>(constants::filter<T>[k]) * in[(i + k) % n];
  out[i] = static_cast<T>(sum);
}
