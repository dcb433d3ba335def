// A kernel of two launches with scratch memory between them: partial sums, then their total. Launches that use the same
// scratch memory at the same time would spoil each other's sums.
#pragma once

#include "base/embedded_file.hpp"

namespace attune::test {

// out[0] = the sum of n integers; out[1] = how many launches used this scratch memory so far. `room`: bytes of further
// scratch memory.
inline constexpr EmbeddedFile partials_kernel{"partials.cu", R"cu(/*attune
[kernel]
name = "partials"
[problem]
n = "size"
room = { size = 16 }
[parameters]
BLOCK = [256, 128]
[[launch]]
memset = "space"
value = 0
[[launch]]
entry = "partial_sums<BLOCK>"
grid = ["ceil_div(n, BLOCK)"]
block = ["BLOCK"]
arguments = ["partial", "in", "n"]
[[launch]]
entry = "total_of_sums"
grid = [1]
block = [1]
arguments = ["out", "partial", "calls", "blocks"]
[arguments]
out = { type = "int32", size = "2", role = "out" }
in = { type = "int32", size = "n", role = "in" }
n = { type = "int64" }
blocks = { type = "int64", value = "ceil_div(n, BLOCK)" }
partial = { type = "int32", size = "ceil_div(n, BLOCK)", role = "scratch" }
calls = { type = "int32", size = "1", role = "scratch" }
space = { type = "uint8", size = "room", role = "scratch" }
*/
template <int BLOCK>
__global__ void partial_sums(int* partial, const int* in, long long n) {
  __shared__ int sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  const long long i = static_cast<long long>(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < n) atomicAdd(&sum, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}
__global__ void total_of_sums(int* out, const int* partial, int* calls, long long blocks) {
  int sum = 0;
  for (long long i = 0; i < blocks; ++i) sum += partial[i];
  calls[0] += 1;
  out[0] = sum;
  out[1] = calls[0];
}
)cu"};

}  // namespace attune::test
