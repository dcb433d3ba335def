/*attune
[kernel]
name = "grid_sum"
summary = "the sum of n integers, in two passes of one cooperative launch"
[problem]
n = { size = 10000000, host = 20000 }
[parameters]
BLOCK = [128, 64]
[[launch]]
entry = "grid_sum<BLOCK>"
grid = [6]
block = ["BLOCK"]
cooperative = true
arguments = ["out", "in", "parts", "n"]
[arguments]
out = { type = "int32", size = 1, role = "out" }
in = { type = "int32", size = "n", role = "in", fill = "uniform(-9, 9)" }
parts = { type = "int32", size = 6, role = "scratch" }
n = { type = "int32" }
[[reference]]
entry = "grid_sum_reference"
grid = [1]
block = [1]
arguments = ["out", "in", "n"]
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <int BLOCK>
__device__ int sum_of_block(const cg::thread_block& block, int value) {
  __shared__ int of_warp[BLOCK / 32];
  auto warp = cg::tiled_partition<32>(block);
  value = cg::reduce(warp, value, cg::plus<int>());
  if (warp.thread_rank() == 0) of_warp[warp.meta_group_rank()] = value;
  block.sync();
  value = 0;
  for (int w = 0; w < BLOCK / 32; ++w) value += of_warp[w];
  block.sync();
  return value;
}

template <int BLOCK>
__global__ void grid_sum(int* out, const int* in, int* parts, int n) {
  cg::grid_group grid = cg::this_grid();
  cg::thread_block block = cg::this_thread_block();
  int sum = 0;
  for (auto i = grid.thread_rank(); i < n; i += grid.size()) sum += in[i];
  sum = sum_of_block<BLOCK>(block, sum);
  if (block.thread_rank() == 0) parts[grid.block_rank()] = sum;
  grid.sync();
  if (grid.block_rank() > 0) return;
  sum = 0;
  for (unsigned i = block.thread_rank(); i < gridDim.x; i += block.size()) sum += parts[i];
  sum = sum_of_block<BLOCK>(block, sum);
  if (block.thread_rank() == 0) *out = sum;
}

__global__ void grid_sum_reference(int* out, const int* in, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}
