/*attune
[kernel]
name = "grid_sum"
summary = "out[i] = in[i] + the sum of in: the blocks wait for each other's sums"
deterministic = true
[problem]
n = { size = 1048576, host = 10000 }
[parameters]
BLOCKS = [4, 1, 7, 32]
[[launch]]
entry = "grid_sum"
grid = ["BLOCKS"]
block = [128]
cooperative = "BLOCKS > 1"
arguments = ["out", "in", "sums", "arrived", "n"]
[arguments]
out = { type = "uint32", size = "n", role = "out" }
in = { type = "uint32", size = "n", role = "in" }
sums = { type = "uint32", size = "BLOCKS", role = "scratch" }
arrived = { type = "uint32", size = "1", role = "scratch" }
n = { type = "int32" }
[[reference]]
entry = "grid_sum_reference"
grid = [1]
block = [1]
arguments = ["out", "in", "n"]
*/
__global__ void grid_sum(unsigned* out, const unsigned* in, unsigned* sums, unsigned* arrived, int n) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned own = 0;
  for (int i = first; i < n; i += step) own += in[i];
  atomicAdd(&sum, own);
  __syncthreads();
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
    __threadfence();
    // Each launch counts on by the number of its blocks.
    const unsigned all = (atomicAdd(arrived, 1u) / gridDim.x + 1) * gridDim.x;
    while (*static_cast<volatile unsigned*>(arrived) < all) __nanosleep(20);
    __threadfence();
    sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += static_cast<volatile unsigned*>(sums)[i];
  }
  __syncthreads();
  for (int i = first; i < n; i += step) out[i] = in[i] + sum;
}

__global__ void grid_sum_reference(unsigned* out, const unsigned* in, int n) {
  unsigned sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i];
  for (int i = 0; i < n; ++i) out[i] = in[i] + sum;
}
