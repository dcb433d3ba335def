/*attune
[kernel]
name = "noop"
[problem]
n = "size"
T = ["float", "double"]
[parameters]
BLOCK = [32, 64]
[[launch]]
entry = "noop<T, BLOCK>"
grid = ["1"]
block = ["BLOCK"]
arguments = ["out", "in", "n", "factor"]
[arguments]
out = { type = "T", size = "n", role = "out" }
in = { type = "T", size = "n", role = "in" }
n = { type = "int64" }
factor = { type = "float", fill = "2.5" }
*/
template <typename T, int BLOCK>
__global__ void noop(T* out, const T* in, long long n, float factor) {
  if (n < 0) out[0] = in[0] * static_cast<T>(factor);
}
