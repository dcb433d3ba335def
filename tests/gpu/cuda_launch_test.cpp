// Launches that are of CUDA alone: PTX, launch bounds, what a launch costs, and what a fault leaves.
#include <chrono>
#include <cstdio>

#include "device/cuda/nvrtc_compiler.hpp"
#include "support/child.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using test::Array;
using test::launch_of;
using test::shape;
using testing::HasSubstr;

constexpr const char* source = R"(
template <typename T> __global__ void scale(T* x, T factor, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void __launch_bounds__(128) bounded(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void stray(int* x) { *(volatile int*)(0x10 + threadIdx.x * 0) = x[0]; }
)";

class CudaLaunch : public test::GpuTest {};

TEST_F(CudaLaunch, WhatAnOlderNvrtcMadePtxOfRuns) {
  cuda::NvrtcLibrary older = cuda::nvrtc();
  const int own = device().info().compute_capability;
  std::erase_if(older.architectures, [own](int known) { return known >= own; });
  if (older.architectures.empty()) GTEST_SKIP() << "this NVRTC knows none that is older than the device";
  const CompileOutcome outcome = cuda::compile_with(older, request(source, {"scale<double>"}), "");
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_THAT(outcome.image->architecture, testing::StartsWith("compute_"));
  const LoadOutcome loaded = device().load(*outcome.image);
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.detail;
  Array<double> x(device(), 100, 1.5);
  double factor = 3;
  long long n = 99;
  ASSERT_TRUE(launch(*loaded.module, "scale<double>", shape(1, 128), {x.parameter(), &factor, &n}).ok());
  EXPECT_EQ(x[98], 4.5);
  EXPECT_EQ(x[99], 1.5);
}

TEST_F(CudaLaunch, RefusesMoreThreadsThanLaunchBoundsAllow) {
  const std::shared_ptr<Module> module = load(source, {"bounded"});
  ASSERT_NE(module, nullptr);
  Status status;
  EXPECT_EQ(module->function("bounded", shape(1, 129), status), nullptr);
  EXPECT_EQ(status.verdict, Verdict::resources);
  EXPECT_EQ(module->function("bounded", {{1, 1, 1}, {16, 16, 1}, 0}, status), nullptr);
  EXPECT_THAT(status.detail, HasSubstr("256 threads"));
}

TEST_F(CudaLaunch, EnqueuesAtTheDriversSpeed) {
  const std::shared_ptr<Module> module = load(source, {"bounded"});
  ASSERT_NE(module, nullptr);
  Array<int> x(device(), 32);
  std::vector<void*> parameters{x.parameter()};
  const Operation operation = launch_of(function(*module, "bounded", shape(1, 32)), shape(1, 32), parameters);
  constexpr int rounds = 500;  // fewer than a stream takes before it makes the caller wait
  double best_ns = 1e30;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < rounds; ++i) ASSERT_TRUE(device().enqueue(operation, nullptr).ok());
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best_ns = std::min(best_ns, took.count() / rounds);
    ASSERT_TRUE(device().synchronize(nullptr).ok());
  }
  std::printf("a launch costs the host %.0f ns\n", best_ns);
  EXPECT_LT(best_ns, 50e3);
}

TEST_F(CudaLaunch, AFaultIsStickyAndEndsTheProcessesUseOfTheDevice) {
  const std::string report = test::report_of_child("CudaLaunch.DISABLED_Faults");
  EXPECT_THAT(report, HasSubstr("enqueued: ok\n"));
  EXPECT_THAT(report, HasSubstr("verdict: fault, sticky\n"));
  EXPECT_THAT(report, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_THAT(report, HasSubstr("afterwards: "));
  EXPECT_THAT(report, HasSubstr("nothing more works in this process"));
}

TEST_F(CudaLaunch, DISABLED_Faults) {
  const std::shared_ptr<Module> module = load(source, {"stray"});
  ASSERT_NE(module, nullptr);
  void* data = device().allocate(4096);
  std::vector<void*> parameters{&data};
  const Status enqueued =
      device().enqueue(launch_of(function(*module, "stray", shape(1, 32)), shape(1, 32), parameters), nullptr);
  const Status done = device().synchronize(nullptr);
  std::string afterwards = "no error";
  try {
    device().allocate(4096);
  } catch (const Error& error) {
    afterwards = error.what();
  }
  test::report("enqueued: " + std::string(to_text(enqueued.verdict)) +
               "\nverdict: " + std::string(to_text(done.verdict)) + (done.sticky ? ", sticky\n" : "\n") + done.detail +
               "\nafterwards: " + afterwards + "\n");
}

}  // namespace
}  // namespace attune
