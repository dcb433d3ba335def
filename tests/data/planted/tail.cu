/*attune
[kernel]
name = "planted_tail"
summary = "y = STEPS fused multiply-adds of x, with one block more than fit on all multiprocessors together"
deterministic = true
[problem]
n = { size = 4194304, host = 4096 }
[parameters]
EXTRA = [1, 0]
[[launch]]
entry = "planted_tail<EXTRA>"
grid = ["2 * device.multiprocessors + EXTRA"]
block = ["1024"]
arguments = ["y", "x", "n"]
[arguments]
y = { type = "float", size = "n", role = "out" }
x = { type = "float", size = "n", role = "in" }
n = { type = "int64" }
[metrics]
flops = "2 * 256 * n"
*/
template <int EXTRA>
__global__ void __launch_bounds__(1024, 2) planted_tail(float* y, const float* x, long long n) {
  const long long share = (n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
  const long long end = first + share < n ? first + share : n;
  for (long long i = first + threadIdx.x; i < end; i += 1024) {
    float value = x[i];
#pragma unroll 8
    for (int step = 0; step < 256; ++step) value = value * 0.5f + 1.0f;
    y[i] = value;
  }
}
