/*attune
[kernel]
name = "cluster_sum"
summary = "the sum of an array: the blocks of a cluster add up in the shared memory of the first"
[problem]
n = { size = 16777216, host = 10000 }
[parameters]
BLOCK = [256, 128]
CLUSTER = [4, 1, 2, 8, 16]
[[launch]]
memset = "out"
[[launch]]
entry = "cluster_sum<BLOCK>"
grid = ["round_up(ceil_div(n, BLOCK), CLUSTER)"]
block = ["BLOCK"]
cluster = ["CLUSTER"]
arguments = ["out", "in", "n"]
[arguments]
out = { type = "uint32", size = "1", role = "out" }
in = { type = "uint32", size = "n", role = "in" }
n = { type = "int64" }
[[reference]]
memset = "out"
[[reference]]
entry = "cluster_sum_reference"
grid = [64]
block = [256]
arguments = ["out", "in", "n"]
*/
#include "attune_launch.cuh"

template <int BLOCK>
__global__ void cluster_sum(unsigned* out, const unsigned* in, long long n) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  attune::sync_cluster();
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) atomicAdd(attune::in_block(&sum, 0), in[i]);
  attune::sync_cluster();
  if (attune::cluster_rank() == 0 && threadIdx.x == 0) atomicAdd(out, sum);
}

__global__ void cluster_sum_reference(unsigned* out, const unsigned* in, long long n) {
  unsigned sum = 0;
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 64 * 256) sum += in[i];
  atomicAdd(out, sum);
}
