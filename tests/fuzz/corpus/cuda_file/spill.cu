/*attune
[kernel]
name = "planted_spill"
summary = "y = x minus the mean of a thread's 64 values, with too few registers for the values"
deterministic = true
[problem]
n = { size = 4194304, host = 4096 }
[parameters]
BLOCKS = [8, 1]                                # that a multiprocessor is to hold: 8 leave a thread 32 registers
[[launch]]
entry = "planted_spill<BLOCKS>"
grid = ["ceil_div(n, 256 * 64)"]
block = ["256"]
arguments = ["y", "x", "n"]
[arguments]
y = { type = "float", size = "n", role = "out" }
x = { type = "float", size = "n", role = "in" }
n = { type = "int64" }
[check]
absolute = 1e-5
[metrics]
bytes = "2 * n * 4"
*/
template <int BLOCKS>
__global__ void __launch_bounds__(256, BLOCKS) planted_spill(float* y, const float* x, long long n) {
  const long long first = blockIdx.x * (256LL * 64) + threadIdx.x;
  float value[64], sum = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) value[k] = first + k * 256 < n ? x[first + k * 256] : 0;
#pragma unroll
  for (int k = 0; k < 64; ++k) sum += value[k];
#pragma unroll
  for (int k = 0; k < 64; ++k)
    if (first + k * 256 < n) y[first + k * 256] = value[k] - sum / 64;
}
