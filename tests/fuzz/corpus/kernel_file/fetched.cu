/*attune
[kernel]
name = "fetched"
summary = "out[i] = in[i] + 1, state[i] += in[i], where `in` and `state` may lie in host memory"
[problem]
n = { size = 1048576, host = 5000 }
SOURCE = { choice = ["Source::mapped", "Source::device"] }
[parameters]
BLOCK = [256, 128]
[[launch]]
entry = "fetched<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["out", "in", "state", "n"]
[arguments]
out = { type = "int32", size = "n", role = "out", place = "mapped" }
in = { type = "int32", size = "n", role = "in", place = "mapped if SOURCE == 'Source::mapped'" }
state = { type = "int32", size = "n", role = "inout", place = "mapped if SOURCE == 'Source::mapped'" }
n = { type = "int32" }
[[reference]]
entry = "fetched<256>"
grid = ["ceil_div(n, 256)"]
block = ["256"]
arguments = ["out", "in", "state", "n"]
*/
template <int BLOCK>
__global__ void fetched(int* out, const int* in, int* state, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n) return;
  out[i] = in[i] + 1;
  state[i] += in[i];
}
