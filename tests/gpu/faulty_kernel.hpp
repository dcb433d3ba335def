// A kernel file whose parameter FAULT chooses what goes wrong on a real GPU.
#pragma once

namespace attune::test {

inline constexpr const char* faulty_kernel = R"cu(/*attune
[kernel]
name = "faulty"
summary = "y = x, with a fault to choose"
[problem]
n = "size"
[parameters]
FAULT = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
COPY = [@COPIES@]
[[launch]]
entry = "faulty<FAULT, COPY>"
grid = ["ceil_div(n, FAULT == 3 ? 1024 : 128)"]
block = ["FAULT == 3 ? 1024 : 128"]
shared = "FAULT == 8 ? 98304 : 0"
arguments = ["y", "x", "n"]
[arguments]
y = { type = "float", size = "n", role = "out" }
x = { type = "float", size = "n", role = "in" }
n = { type = "int64" }
[[reference]]
entry = "faulty_reference"
grid = ["ceil_div(n, 128)"]
block = ["128"]
arguments = ["y", "x", "n"]
*/
extern __shared__ float dynamic[];

template <int FAULT, int COPY>
__global__ void faulty(float* y, const float* x, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
  if constexpr (FAULT == 1) y[i + (1ll << 40) + COPY] = 1;  // out of bounds, far
  if constexpr (FAULT == 2) {                               // never ends
    volatile float* const wait = y;
    while (wait[0] == wait[0]) wait[0] = x[0];
  }
  if constexpr (FAULT == 3) {  // 1024 threads that want 255 registers each
    float sums[224];
#pragma unroll
    for (int k = 0; k < 224; ++k) sums[k] = x[(i + k) % n];
    for (int round = 0; round < 4; ++round) {
#pragma unroll
      for (int k = 0; k < 224; ++k) sums[k] = sums[k] * sums[(k + 1) % 224] + sums[(k + 7) % 224];
    }
    float all = 0;
#pragma unroll
    for (int k = 0; k < 224; ++k) all += sums[k];
    if (all == 12345.f && i < n) y[i] = all;
  }
  if constexpr (FAULT == 4) {
    if (i == 0) __trap();
  }
  if constexpr (FAULT == 5) {
    if (i == 0) __assertfail("i != 0", "faulty.cu", 1, "faulty", 1);
  }
  if constexpr (FAULT == 6) {  // a vector at an address that is none's
    if (i == 0) *reinterpret_cast<float4*>(y + 1) = make_float4(0, 0, 0, 0);
  }
  if constexpr (FAULT == 7) {  // more static shared memory than compiles
    __shared__ float large[16384];
    large[threadIdx.x] = x[i % n];
    __syncthreads();
    if (large[127 - threadIdx.x % 128] == 12345.f) y[0] = 1;
  }
  if constexpr (FAULT == 8) {  // as much dynamic shared memory as must be asked for
    dynamic[24575 - threadIdx.x] = x[i % n];
    __syncthreads();
    if (i < n) y[i] = dynamic[24575 - threadIdx.x];
  }
  if constexpr (FAULT == 9) {  // beyond the guard band, into what the driver placed there
    if (i < n / 2) y[n + 4096 + i] = 5;
  }
}

__global__ void faulty_reference(float* y, const float* x, long long n) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
)cu";

}  // namespace attune::test
