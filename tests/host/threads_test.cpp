// Indices, shared memory, barriers.
#include <numeric>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::Each;
using testing::ElementsAre;

class HostThreads : public test::HostTest {};

TEST_F(HostThreads, KnowTheirPlaceInThreeDimensions) {
  const LaunchShape three{{3, 4, 5}, {6, 7, 2}, 0};
  const auto seen = output<int>(R"(
__global__ void run(int* out) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(&out[block * (blockDim.x * blockDim.y * blockDim.z) + thread], block * 1000 + thread + 1);
})",
                                three, 60 * 84);
  for (int block = 0; block < 60; ++block)
    for (int thread = 0; thread < 84; ++thread) ASSERT_EQ(seen[block * 84 + thread], block * 1000 + thread + 1);
}

TEST_F(HostThreads, RunInMoreBlocksThanTheSecondDimensionAllows) {
  const auto sum = output<unsigned long long>(R"(
__global__ void run(unsigned long long* out) { atomicAdd(out, (unsigned long long)blockIdx.x); })",
                                              shape(200'003, 1), 1);
  EXPECT_EQ(sum[0], 200'003ULL * 200'002 / 2);
}

TEST_F(HostThreads, TakeScalarsStructsAndPointersAsArguments) {
  struct Pair {
    char a;
    double b;
  };
  Array<double> out(device(), 1);
  char c = 5;
  Pair pair{7, 0.25};
  long long big = 1LL << 40;
  void* data = out.data();
  const Status status = run(R"(
struct Pair { char a; double b; };
template <typename T> __global__ void sum(T* out, char c, const Pair pair, long long big) { *out = c + pair.a + pair.b + big; })",
                            "sum<double>", shape(1, 1), {&data, &c, &pair, &big});
  ASSERT_TRUE(status.ok()) << status.detail;
  EXPECT_EQ(out[0], 12.25 + static_cast<double>(1LL << 40));
}

TEST_F(HostThreads, ShareStaticMemoryWithinABlockOnly) {
  // A block reverses its own numbers; another block's cell would show.
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

TEST_F(HostThreads, ShareDynamicMemory) {
  for (const char* declaration :
       {"extern __shared__ int tile[];",
        "extern __shared__ __align__(16) unsigned char raw[]; int* tile = reinterpret_cast<int*>(raw);",
        "extern __shared__ alignas(16) char raw[];\n int* tile = (int*)raw;", "__shared__ extern int tile[];",
        "extern volatile __shared__ int tile[];", "extern __shared__ int2 pairs[]; int* tile = &pairs[0].x;",
        "extern __shared__ int rows[][8]; int* tile = rows[0];"}) {
    SCOPED_TRACE(declaration);
    const auto out = output<int>("__global__ void run(int* out) { " + std::string(declaration) + R"(
  tile[threadIdx.x] = threadIdx.x + blockIdx.x;
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = tile[255 - threadIdx.x];
})",
                                 shape(9, 256, 1024), 9 * 256);
    for (int i = 0; i < 9 * 256; ++i) ASSERT_EQ(out[i], 255 - i % 256 + i / 256);
  }
}

TEST_F(HostThreads, ShareDynamicMemoryDeclaredOutsideAFunction) {
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

TEST_F(HostThreads, ShareDynamicMemoryInTemplatesOfAnyType) {
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

TEST_F(HostThreads, MayAskForAllTheSharedMemoryThereIs) {
  const std::uint64_t all = device().info().shared_per_block;
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < 227 * 256; i += blockDim.x) tile[i] = i;
  __syncthreads();
  atomicAdd(out, tile[(threadIdx.x * 7919) % (227 * 256)] == (threadIdx.x * 7919) % (227 * 256));
})",
                               shape(1, 1024, all), 1);
  EXPECT_EQ(out[0], 1024);
}

TEST_F(HostThreads, MeetAtBarriersOfAThousandThreads) {
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

TEST_F(HostThreads, VoteAtBarriers) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  int count = __syncthreads_count(threadIdx.x % 3 == 0);
  int all = __syncthreads_and(threadIdx.x < 100), none = __syncthreads_and(threadIdx.x < 99);
  int some = __syncthreads_or(threadIdx.x == 57), nobody = __syncthreads_or(threadIdx.x > 100);
  if (threadIdx.x == 99) { out[0] = count; out[1] = all; out[2] = none; out[3] = some; out[4] = nobody; }
})",
                               shape(1, 100), 5);
  EXPECT_THAT(out, ElementsAre(34, 1, 0, 1, 0));
}

TEST_F(HostThreads, ThatHaveExitedDoNotCountAtBarriers) {
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

TEST_F(HostThreads, MayReachABarrierFromDifferentPlaces) {
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int cell[64];
  if (threadIdx.x < 20) { cell[threadIdx.x] = 1; __syncthreads(); }
  else { cell[threadIdx.x] = 2; __syncthreads(); }
  out[threadIdx.x] = cell[63 - threadIdx.x];
})",
                               shape(1, 64), 64);
  EXPECT_EQ(std::accumulate(out.begin(), out.end(), 0), 20 + 88);
  EXPECT_EQ(out[63], 1);
}

TEST_F(HostThreads, PollWithAtomics) {
  // The last thread is the first to go on from the barrier: only turns given away let the others come.
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x >= 96) { while (atomicAdd(&flag, 0) < 32) {} out[threadIdx.x - 96] = 1; }
  if (threadIdx.x < 32) atomicAdd(&flag, 1);
})",
                               shape(4, 128), 32);
  EXPECT_THAT(out, Each(1));
}

TEST_F(HostThreads, PollVolatileMemoryWithAFenceOrASleepInTheLoop) {
  for (const char* pause :
       {"__threadfence();", "__threadfence_block();", "__nanosleep(20);", "__syncwarp(1u << threadIdx.x);"}) {
    SCOPED_TRACE(pause);
    const auto out = output<int>(R"(
__global__ void run(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  // The last to reach the barrier is the first to go on.
  if (threadIdx.x == 31) { while (flag == 0) { )" +
                                     std::string(pause) + R"( } out[0] = flag; }
  if (threadIdx.x == 0) flag = 7;
})",
                                 shape(1, 32), 1);
    EXPECT_EQ(out[0], 7);
  }
}

TEST_F(HostThreads, TakeALockInTurn) {
  const auto out = output<int>(R"(
__device__ int lock = 0;
__device__ int counter = 0;
__global__ void run(int* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      counter = counter + 1;
      __threadfence();
      out[0] = counter;
      atomicExch(&lock, 0);
      done = true;
    }
  }
})",
                               shape(40, 100), 1);
  EXPECT_EQ(out[0], 4000);
}

TEST_F(HostThreads, WaitForBlocksBeforeTheirs) {
  // A chain through all blocks, as in a single-pass scan.
  const auto out = output<int>(R"(
__global__ void run(int* out) {
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x > 0) while ((before = atomicAdd(&out[blockIdx.x - 1], 0)) == 0) {}
    atomicExch(&out[blockIdx.x], before + 1);
  }
})",
                               shape(3000, 32), 3000);
  EXPECT_EQ(out[2999], 3000);
}

TEST_F(HostThreads, PrintAndCount) {
  testing::internal::CaptureStdout();
  const auto out = output<long long>(R"(
__global__ void run(long long* out) {
  long long start = clock64();
  printf("thread %d of %d: %s %.2f\n", (int)threadIdx.x, (int)blockDim.x, "says", 1.5);
  out[threadIdx.x] = clock64() - start;
})",
                                     shape(1, 2), 2);
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "thread 0 of 2: says 1.50\nthread 1 of 2: says 1.50\n");
  EXPECT_GE(out[0], 0);
}

TEST_F(HostThreads, HaveRoomForLocalArraysAndRecursion) {
  const auto out = output<int>(R"(
__device__ __noinline__ int depth(int n) { return n == 0 ? 0 : 1 + depth(n - 1); }
__global__ void run(int* out) {
  volatile float local[8000];
  for (int i = 0; i < 8000; ++i) local[i] = i;
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 8000; ++i) sum += local[i];
  out[threadIdx.x] = depth(100) + (sum > 0);
})",
                               shape(2, 64), 64);
  EXPECT_THAT(out, Each(101));
}

}  // namespace
}  // namespace attune
