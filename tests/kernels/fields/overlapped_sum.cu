/*attune
[kernel]
name = "overlapped_sum"
summary = "the sum of an array in two launches, of which the second may begin before the first has ended"
[problem]
n = { size = 4194304, host = 10000 }
[parameters]
OVERLAP = [true, false]
BLOCK = [512, 256]
BLOCKS = [264, 33]
[[launch]]
entry = "block_sums<BLOCK>"
grid = ["BLOCKS"]
block = ["BLOCK"]
arguments = ["sums", "in", "n"]
[[launch]]
entry = "sum_of_sums"
grid = [1]
block = [1024]
arguments = ["out", "sums", "blocks"]
overlap = "OVERLAP"
[arguments]
out = { type = "uint32", size = "1", role = "out" }
in = { type = "uint32", size = "n", role = "in" }
sums = { type = "uint32", size = "BLOCKS", role = "scratch" }
blocks = { type = "int32", value = "BLOCKS" }
n = { type = "int64" }
[[reference]]
memset = "out"
[[reference]]
entry = "sum_reference"
grid = [64]
block = [256]
arguments = ["out", "in", "n"]
[metrics]
bytes = "4 * n"
[[ladder]]
name = "overlap"
problems = ["n=2**16", "n=2**20", "n=2**22", "n=2**24"]
steps = [
    { name = "one after the other", configuration = "OVERLAP=false" },
    { name = "overlapped", configuration = "OVERLAP=true" },
]
*/
#include "attune_launch.cuh"

__device__ inline unsigned block_sum(unsigned value) {
  __shared__ unsigned sums[32];
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  if (threadIdx.x % 32 == 0) sums[threadIdx.x / 32] = value;
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0;
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_down_sync(0xffffffffu, value, distance);
  return value;
}

template <int BLOCK>
__global__ void block_sums(unsigned* sums, const unsigned* in, long long n) {
  attune::allow_next();
  unsigned sum = 0;
#pragma unroll 8
  for (long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
    sum += in[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

__global__ void sum_of_sums(unsigned* out, const unsigned* sums, int blocks) {
  attune::wait_for_previous();
  unsigned sum = 0;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x) sum += sums[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) out[0] = sum;
}

__global__ void sum_reference(unsigned* out, const unsigned* in, long long n) {
  unsigned sum = 0;
  for (long long i = blockIdx.x * 256 + threadIdx.x; i < n; i += 64 * 256) sum += in[i];
  atomicAdd(out, sum);
}
