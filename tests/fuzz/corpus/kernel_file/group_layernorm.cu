/*attune
[kernel]
name = "group_layernorm"
summary = "out[r][c] = (in[r][c] - mean of row r) / sqrt(variance of row r + eps), by tiles of cooperative groups"
[problem]
rows = { size = 4096, host = 37 }
columns = { size = 1024, host = 200 }
[parameters]
WARPS = [4, 2]
[[launch]]
entry = "group_layernorm<WARPS>"
grid = ["ceil_div(rows, WARPS)"]
block = ["32 * WARPS"]
arguments = ["out", "in", "rows", "columns"]
[arguments]
out = { type = "float", size = "rows * columns", role = "out" }
in = { type = "float", size = "rows * columns", role = "in", fill = "uniform(-1, 3)" }
rows = { type = "int32" }
columns = { type = "int32" }
[check]
absolute = 1e-4
[[reference]]
entry = "group_layernorm_reference"
grid = ["rows"]
block = ["1"]
arguments = ["out", "in", "columns"]
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

template <int WARPS>
__global__ void group_layernorm(float* __restrict__ out, const float* __restrict__ in, int rows, int columns) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int row = blockIdx.x * warp.meta_group_size() + warp.meta_group_rank();
  if (row >= rows) return;
  const float* x = in + size_t(row) * columns;
  float sum = 0.0f;
  for (int c = warp.thread_rank(); c < columns; c += warp.size()) sum += x[c];
  const float mean = cg::reduce(warp, sum, cg::plus<float>{}) / columns;
  float squares = 0.0f;
  for (int c = warp.thread_rank(); c < columns; c += warp.size()) squares += (x[c] - mean) * (x[c] - mean);
  const float scale = rsqrtf(cg::reduce(warp, squares, cg::plus<float>{}) / columns + 1e-5f);
  for (int c = warp.thread_rank(); c < columns; c += warp.size())
    out[size_t(row) * columns + c] = (x[c] - mean) * scale;
}

__global__ void group_layernorm_reference(float* out, const float* in, int columns) {
  const float* x = in + size_t(blockIdx.x) * columns;
  double mean = 0, variance = 0;
  for (int c = 0; c < columns; ++c) mean += x[c];
  mean /= columns;
  for (int c = 0; c < columns; ++c) variance += (x[c] - mean) * (x[c] - mean);
  for (int c = 0; c < columns; ++c)
    out[size_t(blockIdx.x) * columns + c] = float((x[c] - mean) / sqrt(variance / columns + 1e-5));
}
