/*attune
[kernel]
name = "smooth"
summary = "out[i] = (in[i - 1] + 2 in[i] + in[i + 1]) / 4, the ends repeated"
[problem]
n = { size = 67108864, host = 1048576 }
T = ["float", "double"]
[parameters]
BLOCK = [256, 64, 128, 512, 1024]
ITEMS = [1, 2, 4, 8]
[[launch]]
entry = "smooth<T, BLOCK, ITEMS>"
grid = ["ceil_div(n, BLOCK * ITEMS)"]
block = ["BLOCK"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
[metrics]
bytes = "2 * n * sizeof(T)"
*/
template <typename T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) smooth(T* out, const T* in, long long n) {
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
  for (int item = 0; item < ITEMS; ++item) {
    const long long i = first + item * BLOCK;
    if (i >= n) return;
    const T left = in[i > 0 ? i - 1 : i], right = in[i < n - 1 ? i + 1 : i];
    out[i] = (left + 2 * in[i] + right) / 4;
  }
}
