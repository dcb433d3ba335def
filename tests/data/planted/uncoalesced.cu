/*attune
[kernel]
name = "planted_uncoalesced"
summary = "y = 3 x, where neighbouring threads take elements STRIDE apart"
deterministic = true
[problem]
n = { size = 16777216, host = 4096 }
[parameters]
STRIDE = [32, 1]
[[launch]]
entry = "planted_uncoalesced<STRIDE>"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["y", "x", "n"]
[arguments]
y = { type = "float", size = "n", role = "out" }
x = { type = "float", size = "n", role = "in" }
n = { type = "int64" }
[metrics]
bytes = "2 * n * 4"
*/
template <int STRIDE>
__global__ void __launch_bounds__(256) planted_uncoalesced(float* y, const float* x, long long n) {
  const long long i = blockIdx.x * 256LL + threadIdx.x, rows = (n + STRIDE - 1) / STRIDE;
  if (i >= rows * STRIDE) return;
  const long long place = i % rows * STRIDE + i / rows;
  if (place < n) y[place] = 3 * x[place];
}
