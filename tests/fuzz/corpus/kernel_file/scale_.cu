/*attune
[kernel]
name = "scale"
[problem]
n = "size"
[parameters]
BLOCK = [128, 64]
[[launch]]
entry = "scale<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["data", "factor", "n"]
[arguments]
data = { type = "int32", size = "n", role = "inout" }
factor = { type = "int32", fill = "3" }
n = { type = "int64" }
*/
#include "parts/scaled.cuh"

template <int BLOCK>
__global__ void scale(int* data, int factor, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) data[i] = scaled(data[i], factor);
}
