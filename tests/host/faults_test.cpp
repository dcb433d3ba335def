// What kernels do wrong ends their launch as a fault that says where, and the device goes on.
#include <fcntl.h>
#include <unistd.h>

#include <csignal>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::HasSubstr;

class HostFaults : public test::HostTest {
 protected:
  // The fault of `__global__ void run(int* out) { body }`. Afterwards the device must run a good kernel.
  std::string fault(const std::string& body, const LaunchShape& launch_shape, const std::string& before = "") const {
    Array<int> out(device(), 4096);
    const Status status =
        run(before + "\n__global__ void run(int* out) {" + body + "}", "run", launch_shape, {out.parameter()});
    EXPECT_EQ(status.verdict, Verdict::fault) << to_text(status.verdict) << ": " << status.detail;
    EXPECT_FALSE(status.sticky);
    EXPECT_EQ(sum_of_good_kernel(), 64 * 20);
    return status.detail;
  }

  int sum_of_good_kernel() const {
    const std::shared_ptr<Module> module = load(R"(
__global__ void good(int* out) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, __any_sync(~0u, 1));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(out, n);
})",
                                                {"good"});
    Array<int> out(device(), 1);
    const Status status = launch(*module, "good", shape(20, 64), {out.parameter()});
    EXPECT_TRUE(status.ok()) << status.detail;
    return out[0];
  }

  std::vector<std::shared_ptr<Module>> kept_;
};

// The number of a closed descriptor is that of the next file, which is no reason to take one image for another.
TEST_F(HostFaults, OfAKernelThatClosesDescriptorsDoNotHitTheNextImage) {
  const auto value_of = [this](int value) {
    Array<int> out(device(), 1);
    const auto module = load("__global__ void run(int* out) { out[0] = " + std::to_string(value) + "; }", {"run"});
    EXPECT_TRUE(launch(*module, "run", shape(1, 1), {out.parameter()}).ok());
    kept_.push_back(module);
    return out[0];
  };
  const int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
  close(before);
  EXPECT_EQ(value_of(1), 1);
  for (int number = before; number < before + 8; ++number) close(number);
  EXPECT_EQ(value_of(2), 2);
}

struct Case {
  const char* name;
  const char* body;  // of `__global__ void run(int* out)`
  LaunchShape shape;
  std::vector<std::string> says;
  const char* before = "";
};
void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class HostFaultsOf : public HostFaults, public testing::WithParamInterface<Case> {};

TEST_P(HostFaultsOf, SayWhatAndWhere) {
  const std::string text = fault(GetParam().body, GetParam().shape, GetParam().before);
  for (const std::string& part : GetParam().says) EXPECT_THAT(text, HasSubstr(part));
}

const Case cases[] = {
    {"BarrierThatNotAllThreadsReach",
     "if (blockIdx.x == 3) { if (threadIdx.x < 31) __syncthreads(); else __syncwarp(0xffffffff); }",
     shape(5, 32),
     {"block (3,0,0)", "__syncwarp", "thread (31,0,0)", "__syncthreads reached by 31 of 32 threads"}},
    {"ShuffleThatNotAllLanesReach",
     "if (threadIdx.x == 70) out[0] = __shfl_sync(~0u, 1, 0); else if (threadIdx.x >= 64) __syncthreads();",
     shape(1, 128),
     {"block (0,0,0)", "thread (70,0,0) waits at __shfl_sync", "thread (64,0,0) waits at __syncthreads"}},
    {"TwoIntrinsics",
     "if (threadIdx.x < 16) __any_sync(~0u, 1); else __all_sync(~0u, 1);",
     shape(1, 32),
     {"__any_sync", "__all_sync"}},
    {"TwoKindsOfBarriers",
     "if (threadIdx.x < 16) __syncthreads(); else __syncthreads_or(1);",
     shape(1, 32),
     {"__syncthreads_or"}},
    {"MaskWithoutTheCaller", "__shfl_sync(0x2u, 1, 1);", shape(1, 32), {"thread (0,0,0)", "own lane"}},
    {"ThreadOfThreeDimensions",
     "if (blockIdx.z == 1 && threadIdx.z == 1 && threadIdx.y == 2 && threadIdx.x == 3) __trap();",
     {{1, 1, 2}, {4, 4, 2}, 0},
     {"block (0,0,1)", "thread (3,2,1)", "__trap"}},
    {"NullPointer",
     "if (threadIdx.x == 5) *(volatile int*)nullptr = 1;",
     shape(1, 32),
     {"illegal memory access", "thread (5,0,0)"}},
    {"WildPointerInAnyBlock",
     "__syncthreads(); if (blockIdx.x == 777 && threadIdx.x == 1) *(volatile int*)(0x10) = 1; __syncthreads();",
     shape(1000, 64),
     {"illegal memory access", "block (777,0,0)", "thread (1,0,0)"}},
    {"DivisionByZero", "out[1] = 7 / out[0];", shape(1, 1), {"division by zero"}},
    {"StackOverflow",
     "out[0] = deep(out);",
     shape(1, 64),
     {"stack overflow"},
     "__device__ __attribute__((noinline)) int deep(volatile int* x) { volatile char room[1000]; room[*x] = 1; return "
     "1 + "
     "deep(x) + room[x[1]]; }"},
    {"WriteBehindDynamicSharedMemory",
     "extern __shared__ int tile[]; tile[threadIdx.x] = 1;",
     shape(3, 33, 128),
     {"128 bytes of dynamic shared memory"}},
    {"FailedAssertion",
     "\n\nassert(threadIdx.x < 7);",
     shape(1, 8),
     {"threadIdx.x < 7", "kernel.cu:4", "thread (7,0,0)"}},
    {"OneThatOtherBlocksWaitFor",
     "if (blockIdx.x == 0) { if (threadIdx.x == 0) __trap(); } else while (atomicAdd(out, 0) == 0) {}",
     shape(16, 64),
     {"__trap"}},
};

INSTANTIATE_TEST_SUITE_P(, HostFaultsOf, testing::ValuesIn(cases), [](const auto& one) { return one.param.name; });

TEST_F(HostFaults, LeaveStaticSharedMemoryUsable) {
  // Cut off in the middle of barriers, then the same image again.
  const std::shared_ptr<Module> module = load(R"(
__global__ void run(int* out, int bad) {
  __shared__ int cell[64];
  cell[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == bad) __trap();
  __syncthreads();
  out[threadIdx.x] = cell[63 - threadIdx.x];
})",
                                              {"run"});
  Array<int> out(device(), 64);
  int bad = 17;
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(launch(*module, "run", shape(8, 64), {out.parameter(), &bad}).verdict, Verdict::fault);
  bad = -1;
  ASSERT_TRUE(launch(*module, "run", shape(8, 64), {out.parameter(), &bad}).ok());
  EXPECT_EQ(out[0], 63);
}

TEST_F(HostFaults, LeaveSignalHandlersOfTheApplicationAlone) {
  struct sigaction before {
  }, after{};
  sigaction(SIGSEGV, nullptr, &before);
  fault("*(volatile int*)nullptr = 1;", shape(1, 1));
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

}  // namespace
}  // namespace attune
