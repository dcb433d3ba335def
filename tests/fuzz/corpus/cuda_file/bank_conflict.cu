/*attune
[kernel]
name = "planted_bank_conflict"
summary = "out = transposed in, n x n; unpadded, a warp reads a column of the tile from one bank"
deterministic = true
[problem]
n = { size = 4096, host = 128 }
[parameters]
PAD = [0, 1]
[[launch]]
entry = "planted_bank_conflict<PAD>"
grid = ["n / 32", "n / 32"]
block = ["32", "8"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "float", size = "n * n", role = "out" }
in = { type = "float", size = "n * n", role = "in" }
n = { type = "int32" }
[metrics]
bytes = "2 * n * n * 4"
*/
template <int PAD>
__global__ void __launch_bounds__(256) planted_bank_conflict(float* out, const float* in, int n) {
  __shared__ float tile[32][32 + PAD];
  const int x = static_cast<int>(threadIdx.x);
  const long long column = blockIdx.x * 32LL, row = blockIdx.y * 32LL;
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8) tile[y][x] = in[(row + y) * n + column + x];
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < 32; y += 8) out[(column + y) * n + row + x] = tile[x][y];
}
