/*attune
[kernel]
name = "planted_divergence"
summary = "y = steps multiply-adds of x, where WAYS groups of a warp's threads take their turns"
deterministic = true
[problem]
n = { size = 4194304, host = 4096 }
steps = { integer = 64, host = 64 }
[parameters]
WAYS = [32, 1]
[[launch]]
entry = "planted_divergence<WAYS>"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["y", "x", "steps", "n"]
[arguments]
y = { type = "float", size = "n", role = "out" }
x = { type = "float", size = "n", role = "in" }
steps = { type = "int32" }
n = { type = "int64" }
[metrics]
flops = "2 * steps * n"
*/
template <int WAYS>
__global__ void __launch_bounds__(256) planted_divergence(float* y, const float* x, int steps, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
#pragma unroll 1
  for (int turn = 0; turn < WAYS; ++turn)
    if (static_cast<int>(threadIdx.x) % WAYS == turn)
#pragma unroll 1
      for (int step = 0; step < steps; ++step) value = value * 0.5f + 1.0f;
  y[i] = value;
}
