/*attune
[kernel]
name = "matmul"
summary = "c = a b, square matrices, row by row"
[problem]
n = { size = 4096, host = 96 }                 # host: on the CPU
[parameters]
TILE = [16, 8, 32, 64]
ROWS = [1, 2, 4, 8, 16]                        # of c, that a thread computes
[restrictions]
rules = ["TILE % ROWS == 0"]
[[launch]]
entry = "matmul<TILE, ROWS>"
grid = ["ceil_div(n, TILE)", "ceil_div(n, TILE)"]
block = ["TILE", "TILE / ROWS"]
arguments = ["c", "a", "b", "n"]
[arguments]
c = { type = "float", size = "n * n", role = "out" }
a = { type = "float", size = "n * n", role = "in" }
b = { type = "float", size = "n * n", role = "in" }
n = { type = "int32" }
[[reference]]
entry = "matmul_reference"
grid = ["ceil_div(n, 16)", "ceil_div(n, 16)"]
block = ["16", "16"]
arguments = ["c", "a", "b", "n"]
[check]
absolute = "n * epsilon('float')"              # n products below 1 are added, in any order
[metrics]
flops = "2 * n * n * n"
*/
template <int TILE, int ROWS>
__global__ void matmul(float* c, const float* a, const float* b, int n) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int column = blockIdx.x * TILE + threadIdx.x, first = blockIdx.y * TILE + threadIdx.y;
  constexpr int stride = TILE / ROWS;  // between the rows of a thread
  float sums[ROWS] = {};
  for (int start = 0; start < n; start += TILE) {
    for (int r = 0; r < ROWS; ++r) {
      const int y = threadIdx.y + r * stride, row = first + r * stride;
      a_tile[y][threadIdx.x] = row < n && start + threadIdx.x < n ? a[row * n + start + threadIdx.x] : 0;
      b_tile[y][threadIdx.x] = start + y < n && column < n ? b[(start + y) * n + column] : 0;
    }
    __syncthreads();
    for (int k = 0; k < TILE; ++k)
      for (int r = 0; r < ROWS; ++r) sums[r] += a_tile[threadIdx.y + r * stride][k] * b_tile[k][threadIdx.x];
    __syncthreads();
  }
  for (int r = 0; r < ROWS; ++r)
    if (first + r * stride < n && column < n) c[(first + r * stride) * n + column] = sums[r];
}

// As simple as it can be: what the others are compared with.
__global__ void matmul_reference(float* c, const float* a, const float* b, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
