// What kernels do wrong ends their launch as a fault that says where, and the device goes on.
#include <csignal>

#include "host/host_test.hpp"

namespace attune {
namespace {

using test::Array;
using test::shape;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

class HostFaults : public test::HostTest {
 protected:
  // The fault of `__global__ void run(int* out) { body }`. Afterwards the device must run a good kernel.
  static std::string fault(const std::string& body, const LaunchShape& launch_shape, const std::string& before = "") {
    Array<int> out(device(), 4096);
    const Status status =
        run(before + "\n__global__ void run(int* out) {" + body + "}", "run", launch_shape, {out.parameter()});
    EXPECT_EQ(status.verdict, Verdict::fault) << to_text(status.verdict) << ": " << status.detail;
    EXPECT_FALSE(status.sticky);
    EXPECT_EQ(sum_of_good_kernel(), 64 * 20);
    return status.detail;
  }

  static int sum_of_good_kernel() {
    static const std::shared_ptr<Module> module = load(R"(
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
};

TEST_F(HostFaults, NameTheBarrierThatNotAllThreadsReach) {
  const std::string text = fault(
      "if (blockIdx.x == 3) { if (threadIdx.x < 31) __syncthreads(); else __syncwarp(0xffffffff); }", shape(5, 32));
  EXPECT_THAT(text, AllOf(HasSubstr("block (3,0,0)"), HasSubstr("__syncwarp"), HasSubstr("thread (31,0,0)"),
                          HasSubstr("__syncthreads reached by 31 of 32 threads")));
}

TEST_F(HostFaults, NameTheShuffleThatNotAllLanesReach) {
  const std::string text =
      fault("if (threadIdx.x == 70) out[0] = __shfl_sync(~0u, 1, 0); else if (threadIdx.x >= 64) __syncthreads();",
            shape(1, 128));
  EXPECT_THAT(text, AllOf(HasSubstr("block (0,0,0)"), HasSubstr("thread (70,0,0) waits at __shfl_sync"),
                          HasSubstr("thread (64,0,0) waits at __syncthreads")));
}

TEST_F(HostFaults, TellTwoIntrinsicsApart) {
  const std::string text = fault("if (threadIdx.x < 16) __any_sync(~0u, 1); else __all_sync(~0u, 1);", shape(1, 32));
  EXPECT_THAT(text, AllOf(HasSubstr("__any_sync"), HasSubstr("__all_sync")));
}

TEST_F(HostFaults, TellTwoKindsOfBarriersApart) {
  EXPECT_THAT(fault("if (threadIdx.x < 16) __syncthreads(); else __syncthreads_or(1);", shape(1, 32)),
              HasSubstr("__syncthreads_or"));
}

TEST_F(HostFaults, RefuseAMaskWithoutTheCaller) {
  EXPECT_THAT(fault("__shfl_sync(0x2u, 1, 1);", shape(1, 32)),
              AllOf(HasSubstr("thread (0,0,0)"), HasSubstr("own lane")));
}

TEST_F(HostFaults, NameThreadsOfThreeDimensions) {
  EXPECT_THAT(fault("if (blockIdx.z == 1 && threadIdx.z == 1 && threadIdx.y == 2 && threadIdx.x == 3) __trap();",
                    {{1, 1, 2}, {4, 4, 2}, 0}),
              AllOf(HasSubstr("block (0,0,1)"), HasSubstr("thread (3,2,1)"), HasSubstr("__trap")));
}

TEST_F(HostFaults, FindNullPointers) {
  EXPECT_THAT(fault("if (threadIdx.x == 5) *(volatile int*)nullptr = 1;", shape(1, 32)),
              AllOf(HasSubstr("illegal memory access"), HasSubstr("thread (5,0,0)")));
}

TEST_F(HostFaults, FindWildPointersInAnyBlock) {
  EXPECT_THAT(
      fault("__syncthreads(); if (blockIdx.x == 777 && threadIdx.x == 1) *(volatile int*)(0x10) = 1; __syncthreads();",
            shape(1000, 64)),
      AllOf(HasSubstr("illegal memory access"), HasSubstr("block (777,0,0)"), HasSubstr("thread (1,0,0)")));
}

TEST_F(HostFaults, FindDivisionByZero) {
  EXPECT_THAT(fault("out[1] = 7 / out[0];", shape(1, 1)), HasSubstr("division by zero"));
}

TEST_F(HostFaults, FindStackOverflow) {
  EXPECT_THAT(fault("out[0] = deep(out);", shape(1, 64),
                    "__device__ __attribute__((noinline)) int deep(volatile int* x) { volatile char room[1000]; "
                    "room[*x] = 1; return 1 + deep(x) + room[x[1]]; }"),
              HasSubstr("stack overflow"));
}

TEST_F(HostFaults, FindWritesBehindDynamicSharedMemory) {
  EXPECT_THAT(fault("extern __shared__ int tile[]; tile[threadIdx.x] = 1;", shape(3, 33, 128)),
              HasSubstr("128 bytes of dynamic shared memory"));
}

TEST_F(HostFaults, QuoteFailedAssertions) {
  EXPECT_THAT(fault("\n\nassert(threadIdx.x < 7);", shape(1, 8)),
              AllOf(HasSubstr("threadIdx.x < 7"), HasSubstr("kernel.cu:4"), HasSubstr("thread (7,0,0)")));
}

TEST_F(HostFaults, EndBlocksThatWaitForTheOneThatFaulted) {
  EXPECT_THAT(fault("if (blockIdx.x == 0) { if (threadIdx.x == 0) __trap(); } else while (atomicAdd(out, 0) == 0) {}",
                    shape(16, 64)),
              HasSubstr("__trap"));
}

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
