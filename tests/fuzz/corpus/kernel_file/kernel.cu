/*attune
[kernel]
name = "with_headers"
[problem]
n = "size"
[parameters]
BLOCK = [128, 256]
[[launch]]
entry = "with_headers<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "n"]
[arguments]
out = { type = "float", size = "n", role = "out" }
n = { type = "int64" }
*/
#include <cuda_runtime.h>
#include "attune.cuh"
#include "outer.cuh"
// #include "commented_out.cuh"
const char* text = R"(
#include "in_a_string.cuh"
)";
template <int BLOCK>
__global__ void with_headers(float* out, long long n) { fill_one(out, n); }
