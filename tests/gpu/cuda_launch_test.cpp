// Loading and launching: shapes, shared memory, what cannot be launched, what faults, and timing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "device/cuda/nvrtc_compiler.hpp"
#include "measure/statistics.hpp"
#include "support/child.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using test::launch_of;
using test::request_for;
using test::TestMemory;
using testing::HasSubstr;

constexpr const char* source = R"(
template <typename T> __global__ void scale(T* x, T factor, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= factor;
}
__global__ void where(int* out) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = block * 1000 + thread;
}
__global__ void reverse(int* x, int n) {
  extern __shared__ int tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) tile[i] = x[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = tile[n - 1 - i];
}
__global__ void __launch_bounds__(128) bounded(int* x) { x[threadIdx.x] = threadIdx.x; }
__global__ void copy(float4* to, const float4* from, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
__global__ void stray(int* x) { *(volatile int*)(0x10 + threadIdx.x * 0) = x[0]; }
)";

class CudaLaunch : public test::GpuTest {
 protected:
  FunctionHandle function(const std::string& expression, const LaunchShape& shape) {
    if (module_ == nullptr) {
      module_ = load(source, {"bounded", "copy", "reverse", "scale<double>", "scale<int>", "stray", "where"});
    }
    Status status;
    const FunctionHandle handle = module_->function(expression, shape, status);
    EXPECT_TRUE(status.ok()) << status.detail;
    EXPECT_NE(handle, nullptr);
    return handle;
  }
  Status refusal(const std::string& expression, const LaunchShape& shape) {
    function("where", {{1, 1, 1}, {1, 1, 1}, 0});
    Status status;
    EXPECT_EQ(module_->function(expression, shape, status), nullptr);
    return status;
  }
  void run(const std::string& expression, const LaunchShape& shape, std::vector<void*> parameters) {
    const Status enqueued = device().enqueue(launch_of(function(expression, shape), shape, parameters), nullptr);
    EXPECT_TRUE(enqueued.ok()) << enqueued.detail;
    const Status done = device().synchronize(nullptr);
    EXPECT_TRUE(done.ok()) << done.detail;
  }
  std::shared_ptr<Module> module_;
};

TEST_F(CudaLaunch, RunsAKernelWithItsArguments) {
  TestMemory memory(device(), 1000 * sizeof(double));
  memory.write(std::vector<double>(1000, 1.5));
  void* data = memory.data();
  double factor = 3;
  long long n = 999;
  run("scale<double>", {{4, 1, 1}, {256, 1, 1}, 0}, {&data, &factor, &n});
  auto expected = std::vector<double>(1000, 4.5);
  expected.back() = 1.5;
  EXPECT_EQ(memory.read<double>(1000), expected);
}

TEST_F(CudaLaunch, WhatAnOlderNvrtcMadePtxOfRuns) {
  cuda::NvrtcLibrary older = cuda::nvrtc();
  const int own = device().info().compute_capability;
  std::erase_if(older.architectures, [own](int known) { return known >= own; });
  if (older.architectures.empty()) GTEST_SKIP() << "this NVRTC knows none that is older than the device";
  const ImageRequest request = request_for(source, {"reverse", "scale<double>"}, device().info().architecture());
  const CompileOutcome outcome = cuda::compile_with(older, request, "");
  ASSERT_EQ(outcome.verdict, Verdict::ok) << outcome.log;
  EXPECT_THAT(outcome.image->architecture, testing::StartsWith("compute_"));
  LoadOutcome loaded = device().load(*outcome.image);
  ASSERT_TRUE(loaded.status.ok()) << loaded.status.detail;
  module_ = loaded.module;
  TestMemory memory(device(), 100 * sizeof(double));
  memory.write(std::vector<double>(100, 1.5));
  void* data = memory.data();
  double factor = 3;
  long long n = 100;
  run("scale<double>", {{1, 1, 1}, {128, 1, 1}, 0}, {&data, &factor, &n});
  EXPECT_EQ(memory.read<double>(100), std::vector<double>(100, 4.5));
}

TEST_F(CudaLaunch, UsesAllThreeDimensionsOfGridAndBlock) {
  constexpr int blocks = 3 * 4 * 2, threads = 5 * 3 * 2;
  TestMemory memory(device(), blocks * threads * sizeof(int));
  void* data = memory.data();
  run("where", {{3, 4, 2}, {5, 3, 2}, 0}, {&data});
  const auto out = memory.read<int>(blocks * threads);
  for (int i = 0; i < blocks * threads; ++i)
    ASSERT_EQ(out[static_cast<std::size_t>(i)], i / threads * 1000 + i % threads);
}

TEST_F(CudaLaunch, OptsInToAllTheSharedMemoryOfADevice) {
  const auto bytes = device().info().shared_per_block;
  const int n = static_cast<int>(bytes / sizeof(int));
  TestMemory memory(device(), bytes);
  std::vector<int> numbers(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) numbers[static_cast<std::size_t>(i)] = i;
  memory.write(numbers);
  void* data = memory.data();
  int count = n;
  run("reverse", {{1, 1, 1}, {256, 1, 1}, bytes}, {&data, &count});
  std::reverse(numbers.begin(), numbers.end());
  EXPECT_EQ(memory.read<int>(static_cast<std::size_t>(n)), numbers);
  // A smaller request of another plan takes nothing away from the first.
  function("reverse", {{1, 1, 1}, {256, 1, 1}, 50000});
  run("reverse", {{1, 1, 1}, {256, 1, 1}, bytes}, {&data, &count});
}

TEST_F(CudaLaunch, RefusesMoreSharedMemoryThanTheDeviceHas) {
  const Status status = refusal("reverse", {{1, 1, 1}, {32, 1, 1}, device().info().shared_per_block + 4});
  EXPECT_EQ(status.verdict, Verdict::resources);
  EXPECT_FALSE(status.sticky);
  EXPECT_THAT(status.detail, HasSubstr(std::to_string(device().info().shared_per_block + 4)));
}

TEST_F(CudaLaunch, RefusesMoreThreadsThanTheKernelCanRun) {
  EXPECT_EQ(refusal("bounded", {{1, 1, 1}, {129, 1, 1}, 0}).verdict, Verdict::resources);
  EXPECT_EQ(refusal("where", {{1, 1, 1}, {1025, 1, 1}, 0}).verdict, Verdict::resources);
  EXPECT_THAT(refusal("bounded", {{1, 1, 1}, {16, 16, 1}, 0}).detail, HasSubstr("256 threads"));
}

TEST_F(CudaLaunch, TooMuchStaticSharedMemoryNeverReachesTheDevice) {
  const ImageRequest request = test::request_for(
      "__global__ void k(float* x) { __shared__ float t[20000]; t[threadIdx.x] = x[0]; __syncthreads(); x[0] = t[19999 "
      "- threadIdx.x]; }",
      {"k"}, device().info().architecture());
  EXPECT_EQ(device().compiler()->compile({&request, 1}).front().verdict, Verdict::resources);
}

TEST_F(CudaLaunch, ARefusedLaunchLeavesTheDeviceUsable) {
  const LaunchShape good{{1, 1, 1}, {32, 1, 1}, 0};
  TestMemory memory(device(), 4096);
  void* data = memory.data();
  std::vector<void*> parameters{&data};
  const Status status =
      device().enqueue(launch_of(function("where", good), {{1, 1, 1}, {2048, 1, 1}, 0}, parameters), nullptr);
  EXPECT_TRUE(status.verdict == Verdict::launch_error || status.verdict == Verdict::resources) << status.detail;
  EXPECT_FALSE(status.sticky);
  EXPECT_THAT(status.detail, HasSubstr("2048 x 1 x 1"));
  run("where", good, {&data});
}

TEST_F(CudaLaunch, SaysWhichEntryAnImageLacks) {
  const Status status = refusal("scale<short>", {});
  EXPECT_EQ(status.verdict, Verdict::load_error);
  EXPECT_THAT(status.detail, HasSubstr("scale<short>"));
}

TEST_F(CudaLaunch, RefusesCodeThatIsDamagedOrForAnotherArchitecture) {
  Image image;
  image.architecture = "sm_90";
  image.code = std::make_shared<std::vector<std::byte>>(1000, std::byte{7});
  EXPECT_EQ(device().load(image).status.verdict, Verdict::load_error);
  image.code = nullptr;
  EXPECT_EQ(device().load(image).status.verdict, Verdict::load_error);

  const std::string other = device().info().compute_capability / 10 == 8 ? "sm_90" : "sm_80";
  const ImageRequest request = test::request_for(source, {"where"}, other);
  const CompileOutcome outcome = std::move(device().compiler()->compile({&request, 1}).front());
  ASSERT_TRUE(outcome.image) << outcome.log;
  const LoadOutcome loaded = device().load(*outcome.image);
  EXPECT_EQ(loaded.status.verdict, Verdict::load_error);
  EXPECT_FALSE(loaded.status.sticky);
  EXPECT_EQ(loaded.module, nullptr);
}

TEST_F(CudaLaunch, LoadsAnImageAgainAfterItsModuleIsGone) {
  TestMemory memory(device(), 4096);
  void* data = memory.data();
  run("where", {{1, 1, 1}, {32, 1, 1}, 0}, {&data});
  module_.reset();
  run("where", {{1, 1, 1}, {64, 1, 1}, 0}, {&data});
  EXPECT_EQ(memory.read<int>(64)[63], 63);
}

TEST_F(CudaLaunch, SamplesTheTimedOperationsAlone) {
  constexpr std::size_t bytes = 256u << 20;
  TestMemory from(device(), bytes), to(device(), bytes);
  void *source_data = from.data(), *target_data = to.data();
  long long n = bytes / 16;
  std::vector<void*> parameters{&target_data, &source_data, &n};
  const LaunchShape shape{{static_cast<std::uint32_t>(n / 256), 1, 1}, {256, 1, 1}, 0};
  Operation restore, copy = launch_of(function("copy", shape), shape, parameters);
  restore.kind = Operation::Kind::memset;
  restore.target = from.data();
  restore.bytes = bytes;
  restore.value = 3;

  double best = 1e30, small = 1e30;
  Operation little = copy;
  little.shape.grid[0] = 16;
  for (int i = 0; i < 10; ++i) {
    const SingleTime sample = device().sample({&restore, 1}, {&copy, 1}, true);
    ASSERT_TRUE(sample.status.ok()) << sample.status.detail;
    ASSERT_GT(sample.nanoseconds, 0);
    best = std::min(best, sample.nanoseconds);
    small = std::min(small, device().sample({&restore, 1}, {&little, 1}, true).nanoseconds);
  }
  EXPECT_EQ(to.read<unsigned char>(16), std::vector<unsigned char>(16, 3)) << "`before` runs before `timed`";
  EXPECT_LT(small, best / 4) << "the flush and `before` are not timed";
  std::printf("copy of 256 MiB: %.1f us, %.0f GB/s; 16 blocks: %.2f us\n", best / 1e3, 2.0 * bytes / best, small / 1e3);

  double warm = 0, cold = 0;
  Operation medium = copy;
  medium.shape.grid[0] = 2048;  // 8 MiB from and to
  for (int i = 0; i < 10; ++i) {
    cold += device().sample({}, {&medium, 1}, true).nanoseconds / 10;
    warm += device().sample({}, {&medium, 1}, false).nanoseconds / 10;
  }
  std::printf("copy of 8 MiB: cold %.2f us, warm %.2f us\n", cold / 1e3, warm / 1e3);
  const SingleTime nothing = device().sample({}, {}, false);
  EXPECT_TRUE(nothing.status.ok());
  EXPECT_LT(nothing.nanoseconds, 1e6);
}

// A sample of one launch of a kernel that does next to nothing is that of launching; a batch is not.
TEST_F(CudaLaunch, ABatchTakesItsSetsInTurnAndShowsWhatAShortKernelTakes) {
  constexpr int sets = 4, threads = 64;
  std::deque<TestMemory> memory;
  for (int i = 0; i < sets; ++i) memory.emplace_back(device(), threads * sizeof(int));
  std::vector<void*> addresses;
  for (const TestMemory& one : memory) addresses.push_back(one.data());
  const LaunchShape shape{{1, 1, 1}, {threads, 1, 1}, 0};
  std::vector<std::vector<void*>> parameters;
  for (void*& address : addresses) parameters.push_back({&address});
  std::vector<Operation> launches;
  for (std::vector<void*>& list : parameters) launches.push_back(launch_of(function("where", shape), shape, list));
  std::vector<std::span<const Operation>> timed;
  for (const Operation& launch : launches) timed.emplace_back(&launch, 1);
  for (const Regime regime : {Regime::cold, Regime::warm}) {
    const DeviceTimes single = device().take_samples({{}, timed, regime, 40, 1});
    ASSERT_TRUE(single.status.ok()) << single.status.detail;
    ASSERT_EQ(single.nanoseconds.size(), 40u);
    const DeviceTimes batch = device().take_samples({{}, timed, regime, 10, 400});
    ASSERT_TRUE(batch.status.ok()) << batch.status.detail;
    ASSERT_EQ(batch.nanoseconds.size(), 10u);
    EXPECT_LT(median(batch.nanoseconds), median(single.nanoseconds));
    std::printf("a kernel of one block, %s: alone %.2f us (%.2f to %.2f), in a batch %.2f us (%.2f to %.2f)\n",
                std::string(to_text(regime)).c_str(), median(single.nanoseconds) / 1e3,
                quantile(single.nanoseconds, 0.1) / 1e3, quantile(single.nanoseconds, 0.9) / 1e3,
                median(batch.nanoseconds) / 1e3, quantile(batch.nanoseconds, 0.1) / 1e3,
                quantile(batch.nanoseconds, 0.9) / 1e3);
  }
  for (const TestMemory& one : memory) EXPECT_EQ(one.read<int>(threads)[threads - 1], threads - 1);
  const Operation bad = launch_of(function("where", {}), {{1, 1, 1}, {4096, 1, 1}, 0}, parameters[0]);
  const std::span<const Operation> refused(&bad, 1);
  EXPECT_FALSE(device().take_samples({{}, {&refused, 1}, Regime::warm, 1, 10}).status.ok());
  EXPECT_TRUE(device().take_samples({{}, timed, Regime::warm, 1, 10}).status.ok()) << "nothing records for ever";
}

TEST_F(CudaLaunch, EnqueuesAtTheDriversSpeed) {
  TestMemory memory(device(), 4096);
  void* data = memory.data();
  std::vector<void*> parameters{&data};
  const LaunchShape shape{{1, 1, 1}, {32, 1, 1}, 0};
  const Operation operation = launch_of(function("where", shape), shape, parameters);
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

TEST_F(CudaLaunch, ASampleOfARefusedLaunchSaysSo) {
  TestMemory memory(device(), 4096);
  void* data = memory.data();
  std::vector<void*> parameters{&data};
  const Operation bad = launch_of(function("where", {}), {{1, 1, 1}, {4096, 1, 1}, 0}, parameters);
  const SingleTime sample = device().sample({}, {&bad, 1}, true);
  EXPECT_FALSE(sample.status.ok());
  EXPECT_FALSE(sample.status.sticky);
  EXPECT_TRUE(device().synchronize(nullptr).ok());
}

TEST_F(CudaLaunch, AFaultIsStickyAndEndsTheProcessesUseOfTheDevice) {
  const std::string report = test::report_of_child("CudaLaunchChild.DISABLED_Faults");
  EXPECT_THAT(report, HasSubstr("enqueued: ok\n"));
  EXPECT_THAT(report, HasSubstr("verdict: fault, sticky\n"));
  EXPECT_THAT(report, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_THAT(report, HasSubstr("afterwards: "));
  EXPECT_THAT(report, HasSubstr("nothing more works in this process"));
}

class CudaLaunchChild : public CudaLaunch {};

TEST_F(CudaLaunchChild, DISABLED_Faults) {
  const LaunchShape shape{{1, 1, 1}, {32, 1, 1}, 0};
  void* data = device().allocate(4096);
  std::vector<void*> parameters{&data};
  const Status enqueued = device().enqueue(launch_of(function("stray", shape), shape, parameters), nullptr);
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
