// What the host device promises threads beyond CUDA's own words: how they wait for each other, and what they have.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "host/host_test.hpp"
#include "support/few_processes.hpp"

namespace attune {
namespace {

using test::shape;
using testing::Each;

class HostThreads : public test::HostTest {};

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

#if !defined(__SANITIZE_ADDRESS__)  // which reserves more addresses than any limit
// In a process of its own, whose stacks have no room. It is no property of the configuration.
TEST_F(HostThreads, ThatTheMachineHasNotAreTheMachinesFault) {
  const ImageRequest wanted = request("__global__ void run(int* out) { out[blockIdx.x] = 1; }", {"run"});
  const CompileOutcome outcome = compile(wanted);
  ASSERT_TRUE(outcome.image) << outcome.log;
  const pid_t child = fork();
  if (child == 0) {
    const std::unique_ptr<Device> fresh = open_host_device();
    const LoadOutcome loaded = fresh->load(*outcome.image);
    test::Array<int> out(*fresh, 64);
    std::vector<void*> parameters{out.parameter()};
    LaunchShape of_all = shape(64, 1);
    of_all.cooperative = true;
    long pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlim_t bytes = static_cast<rlim_t>(pages * sysconf(_SC_PAGESIZE)) + (rlim_t{40} << 20);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_AS, &limit);
    try {
      Status status;
      const FunctionHandle found = loaded.module->function("run", of_all, status);
      status = fresh->enqueue(test::launch_of(found, of_all, parameters), nullptr);
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("no configuration is blamed") != std::string::npos ? 3 : 4);
    }
    _exit(5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), 3);
}
#endif

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

TEST_F(HostThreads, KnowTheActiveLanes) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  out[threadIdx.x] = __activemask();
  if (threadIdx.x % 32 < 10) {
    const unsigned mask = __activemask();
    out[64 + threadIdx.x] = __shfl_sync(mask, threadIdx.x, __ffs(mask) - 1);
  } else {
    out[64 + threadIdx.x] = __activemask();
  }
})",
                                    shape(1, 64), 128);
  for (int i = 0; i < 64; ++i) {
    EXPECT_EQ(out[i], ~0u);
    EXPECT_EQ(out[64 + i], i % 32 < 10 ? static_cast<unsigned>(i / 32 * 32) : 0xFFFFFC00u);
  }
}

TEST_F(HostThreads, KnowTheActiveLanesWhileOthersSpin) {
  const auto out = output<unsigned>(R"(
__global__ void run(unsigned* out) {
  if (threadIdx.x < 16) {
    while (atomicAdd(&out[32], 0u) == 0) {}
    out[threadIdx.x] = 1;
  } else {
    out[threadIdx.x] = __activemask();
    atomicAdd(&out[32], 1u);
  }
})",
                                    shape(1, 32), 33);
  EXPECT_EQ(out[0], 1u);
  EXPECT_EQ(out[31], 0xFFFF0000u);
}

TEST_F(HostThreads, AreFewerWhereTheSystemGivesNoMore) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be a user without other processes";
  const auto module = load("__global__ void run(int* out) { out[blockIdx.x] = 1; }", {"run"});
  ASSERT_NE(module, nullptr);
  const std::string text = test::without_further_threads([&] {
    std::vector<int> out(50);
    int* array = out.data();
    const Status status = launch(*module, "run", shape(50, 1), {&array});
    return status.detail + std::to_string(std::accumulate(out.begin(), out.end(), 0));
  });
  EXPECT_EQ(text, "50");
}

}  // namespace
}  // namespace attune
