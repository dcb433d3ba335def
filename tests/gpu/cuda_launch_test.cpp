// Launches that are of CUDA alone: PTX, launch bounds, what a launch costs, and what a fault leaves.
#include <chrono>
#include <cstdio>

#include "device/cuda/cuda_context.hpp"
#include "device/cuda/driver_loader.hpp"
#include "device/cuda/nvrtc_compiler.hpp"
#include "device/cuda/operations.hpp"
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

// As drivers before 11.6 are. A step that could overlap is launched without.
TEST_F(CudaLaunch, WorksWithADriverThatKnowsNoAttributes) {
  cuda::DriverApi older = cuda::require_driver();
  older.launch_with = nullptr;
  const auto context = cuda::CudaContext::open(cuda::require_driver(), std::nullopt);
  const cuda::ContextScope scope(*context);
  const std::shared_ptr<Module> module = load(source, {"scale<double>"});
  ASSERT_NE(module, nullptr);
  Array<double> x(device(), 100, 1.5);
  double factor = 3;
  long long n = 99;
  std::vector<void*> parameters{x.parameter(), &factor, &n};
  LaunchShape of = shape(1, 128);
  Operation operation = launch_of(function(*module, "scale<double>", of), of, parameters);
  EXPECT_TRUE(cuda::enqueue_operation(older, operation, nullptr).ok());
  operation.shape.overlaps = true;
  EXPECT_TRUE(cuda::enqueue_operation(older, operation, nullptr).ok());
  EXPECT_EQ(x[98], 13.5);
  EXPECT_EQ(x[99], 1.5);
  operation.shape.cluster = {2, 1, 1};
  EXPECT_FALSE(cuda::enqueue_operation(older, operation, nullptr).ok());
  operation.shape.cluster = {1, 1, 1};
  operation.shape.cooperative = true;
  EXPECT_FALSE(cuda::enqueue_operation(older, operation, nullptr).ok());
}

// By launches and by batches in graphs. Each block waits for all others, or gives up after a second.
TEST_F(CudaLaunch, BlocksOfACooperativeLaunchRunAtTheSameTime) {
  const std::shared_ptr<Module> module = load(
      R"(__global__ void run(unsigned* arrived) {
  if (threadIdx.x != 0) return;
  const unsigned all = (atomicAdd(arrived, 1u) / gridDim.x + 1) * gridDim.x;
  const long long begin = clock64();
  while (*(volatile unsigned*)arrived < all && clock64() - begin < 2000000000LL) {}
  if (*(volatile unsigned*)arrived < all) atomicAdd(arrived + 1, 1u);
})",
      {"run"});
  ASSERT_NE(module, nullptr);
  Array<unsigned> arrived(device(), 2);
  std::vector<void*> parameters{arrived.parameter()};
  const unsigned blocks = static_cast<unsigned>(device().info().multiprocessors);
  LaunchShape together = shape(blocks, 1024);
  together.cooperative = true;
  const Operation operation = launch_of(function(*module, "run", together), together, parameters);
  ASSERT_TRUE(device().enqueue(operation, nullptr).ok());
  ASSERT_TRUE(device().synchronize(nullptr).ok());
  const std::span<const Operation> once(&operation, 1);
  ASSERT_TRUE(instruments().take_samples({.before = {}, .timed = {&once, 1}, .flush = false, .batch = 3}).status.ok());
  EXPECT_THAT(arrived.values(), testing::ElementsAre(4 * blocks, 0));
  together.grid[0] = 3 * blocks;  // two of 1024 threads fit
  const Status status = device().enqueue(launch_of(operation.function, together, parameters), nullptr);
  EXPECT_EQ(status.verdict, Verdict::resources);
  EXPECT_THAT(status.detail, testing::HasSubstr("all blocks at the same time"));
}

// By launches and by batches in graphs.
TEST_F(CudaLaunch, BlocksOfAClusterKnowEachOther) {
  if (device().info().max_cluster() == 1) GTEST_SKIP() << "no clusters below sm_90";
  const std::shared_ptr<Module> module = load(
      R"(__global__ void run(unsigned* out) {
  unsigned size, rank;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (threadIdx.x == 0) atomicAdd(out + blockIdx.x + gridDim.x * blockIdx.y, 100 * size + rank);
})",
      {"run"});
  ASSERT_NE(module, nullptr);
  Array<unsigned> out(device(), 16);
  std::vector<void*> parameters{out.parameter()};
  LaunchShape wide = shape(4, 32);
  wide.grid[1] = 4;
  wide.cluster = {4, 2, 1};
  const Operation operation = launch_of(function(*module, "run", wide), wide, parameters);
  ASSERT_TRUE(device().enqueue(operation, nullptr).ok());
  const std::span<const Operation> once(&operation, 1);
  const DeviceTimes times = instruments().take_samples({.before = {}, .timed = {&once, 1}, .flush = false, .batch = 3});
  ASSERT_TRUE(times.status.ok()) << times.status.detail;
  for (unsigned i = 0; i < 16; ++i) EXPECT_EQ(out[i], 4 * (800 + i % 8)) << i;
  wide.cluster = {3, 1, 1};
  EXPECT_FALSE(device().enqueue(launch_of(operation.function, wide, parameters), nullptr).ok());
}

// The second launch begins while the first waits for it. One after the other, they would wait for ever: the first gives
// up after a second.
TEST_F(CudaLaunch, OverlapsWhereItIsAskedTo) {
  if (device().info().compute_capability < 90) GTEST_SKIP() << "no overlap below sm_90";
  const std::shared_ptr<Module> module = load(
      R"(__global__ void first(volatile int* met) {
  asm volatile("griddepcontrol.launch_dependents;");
  const long long begin = clock64();
  while (met[0] == 0 && clock64() - begin < 2000000000LL) {}
  met[1] = met[0];
}
__global__ void second(volatile int* met) {
  met[0] = 1;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  met[2] = met[1] + 1;
})",
      {"first", "second"});
  ASSERT_NE(module, nullptr);
  Array<int> met(device(), 3);
  std::vector<void*> parameters{met.parameter()};
  LaunchShape overlapped = shape(1, 1);
  overlapped.overlaps = true;
  const Operation operations[] = {launch_of(function(*module, "first", shape(1, 1)), shape(1, 1), parameters),
                                  launch_of(function(*module, "second", overlapped), overlapped, parameters)};
  for (const Operation& operation : operations) ASSERT_TRUE(device().enqueue(operation, nullptr).ok());
  ASSERT_TRUE(device().synchronize(nullptr).ok());
  EXPECT_THAT(met.values(), testing::ElementsAre(1, 1, 2));
  met.write({0, 0, 0});
  const std::span<const Operation> both(operations);
  ASSERT_TRUE(instruments().take_samples({.before = {}, .timed = {&both, 1}, .flush = false, .batch = 2}).status.ok());
  EXPECT_THAT(met.values(), testing::ElementsAre(1, 1, 2)) << "in a graph";
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
