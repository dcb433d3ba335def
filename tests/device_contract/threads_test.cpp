// Threads of a block: shared memory and barriers.
#include "device_contract/contract_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::Each;
using testing::ElementsAre;

class ThreadContract : public test::ContractTest {};

TEST_F(ThreadContract, ShareStaticMemoryWithinABlockOnly) {
  // A block reverses its own numbers, so that the cell of another block would show.
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int cell[128];
  static __shared__ int other[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  cell[threadIdx.x] = i;
  other[127 - threadIdx.x] = -i;
  __syncthreads();
  out[i] = cell[127 - threadIdx.x] * 2 + other[threadIdx.x];
})",
                               shape(500, 128), 500 * 128);
  for (int i = 0; i < 500 * 128; ++i) ASSERT_EQ(out[i], (i / 128) * 128 + 127 - i % 128) << i;
}

TEST_F(ThreadContract, ShareDynamicMemory) {
  for (const char* declaration :
       {"extern __shared__ int tile[];",
        "extern __shared__ __align__(16) unsigned char raw[]; int* tile = reinterpret_cast<int*>(raw);",
        "extern __shared__ alignas(16) char raw[];\n int* tile = (int*)raw;", "__shared__ extern int tile[];",
        "extern volatile __shared__ int tile[];", "extern __shared__ int2 pairs[]; int* tile = &pairs[0].x;",
        "extern __shared__ int rows[][8]; int* tile = rows[0];"}) {
    SCOPED_TRACE(declaration);
    if (!is_host() && std::string(declaration).find("alignas") != std::string::npos)
      continue;  // NVRTC does not take `alignas` there
    const auto out = output<int>("__global__ void run(int* out) { " + std::string(declaration) + R"(
  tile[threadIdx.x] = threadIdx.x + blockIdx.x;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
})",
                                 shape(9, 256, 1024), 9 * 256);
    for (int i = 0; i < 9 * 256; ++i) ASSERT_EQ(out[i], 255 - i % 256 + i / 256);
  }
}

TEST_F(ThreadContract, ShareDynamicMemoryDeclaredOutsideAFunction) {
  const auto out = output<int>(R"(
extern __shared__ int tile[];
namespace inner { extern __shared__ float numbers[]; }
__device__ int other(int i) { return tile[i] + (inner::numbers[i] != 0 ? 0 : 100); }
__global__ void run(int* out) {
  tile[threadIdx.x] = threadIdx.x + 1;
  __syncthreads();
  out[threadIdx.x] = other(63 - threadIdx.x);
})",
                               shape(1, 64, 256), 64);
  for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], 64 - i);
}

TEST_F(ThreadContract, ShareDynamicMemoryInTemplatesOfAnyType) {
  Array<double> out(device(), 64);
  const Status status = run(R"(
template <typename T> __global__ void reverse(T* out) {
  extern __shared__ __align__(sizeof(double)) unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
})",
                            "reverse<double>", shape(1, 64, 512), {out.parameter()});
  ASSERT_TRUE(status.ok()) << status.detail;
  EXPECT_EQ(out[0], 63);
}

TEST_F(ThreadContract, MeetAtBarriersOfAThousandThreads) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int cell[1024];
  cell[threadIdx.x] = 1;
  __syncthreads();
  for (int s = 512; s > 0; s /= 2) {
    if (threadIdx.x < s) cell[threadIdx.x] += cell[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cell[0];
})",
                               shape(50, 1024), 50);
  EXPECT_THAT(out, Each(1024));
}

TEST_F(ThreadContract, VoteAtBarriers) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  int count = __syncthreads_count(threadIdx.x % 3 == 0);
  int all = __syncthreads_and(threadIdx.x < 100), none = __syncthreads_and(threadIdx.x < 99);
  int some = __syncthreads_or(threadIdx.x == 57), none_at_all = __syncthreads_or(threadIdx.x > 100);
  if (threadIdx.x == 99) { out[0] = count; out[1] = all; out[2] = none; out[3] = some; out[4] = none_at_all; }
})",
                               shape(1, 100), 5);
  EXPECT_THAT(out, ElementsAre(34, 1, 0, 1, 0));
}

TEST_F(ThreadContract, ThatHaveExitedDoNotCountAtBarriers) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  if (threadIdx.x >= 40) return;
  atomicAdd(&total, 1);
  int here = __syncthreads_count(1);
  if (threadIdx.x % 2) return;
  __syncthreads();
  if (threadIdx.x == 0) { out[0] = total; out[1] = here; }
})",
                               shape(1, 128), 2);
  EXPECT_THAT(out, ElementsAre(40, 40));
}

}  // namespace
}  // namespace attune
