// Kernels with tensor maps and arrays by value on a GPU: tuned, in plans, and resolved to driver calls. What an encode
// costs.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "device/cuda/cuda_context.hpp"
#include "device/cuda/driver_loader.hpp"
#include "kernel/legality.hpp"
#include "kernel/problem.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "support/on_device.hpp"
#include "support/smooth_kernel.hpp"
#include "support/tiles_kernel.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int width = 1000, height = 333, count = width * height;

class GpuTensorMap : public test::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (device().info().compute_capability < 90) GTEST_SKIP() << "tensor maps need compute capability 9.0";
  }
  static std::vector<float> numbers(float first) {
    std::vector<float> made(count);
    std::iota(made.begin(), made.end(), first);
    return made;
  }
};

TEST_F(GpuTensorMap, EveryLegalConfigurationIsRight) {
  const KernelSpec spec = read_kernel_text(test::tiles_file(), "tiles.cu");
  std::size_t with_map = 0;
  for (const char* const given : {"width=1000 height=333 T=float", "width=48 height=101 T=int2",
                                  "width=112 height=1000 T=int8", "width=98 height=97 T=double"}) {
    const Problem problem = parse_problem(spec, given, "cuda");
    test::OnDevice tried(device(), spec, problem, {{"TENSOR", false}, {"TILE_X", 32}, {"TILE_Y", 8}});
    for (const bool tensor : {true, false})
      for (const int x : {32, 16, 8, 6})
        for (const int y : {8, 32}) {
          const Configuration configuration{{"TENSOR", tensor}, {"TILE_X", x}, {"TILE_Y", y}};
          if (!legal_configuration(spec, problem, device().info(), configuration)) continue;
          const Status status = tried.load(1, configuration);
          EXPECT_TRUE(status.ok()) << problem.text() << ", " << configuration.text() << ": " << status.detail;
          TimingPlan plan;  // over further sets of the data, in a graph
          plan.regime = Regime::stream;
          plan.batch = 4;
          EXPECT_TRUE(tried.runner().sample(1, plan).status.ok());
          Numerics numerics;
          EXPECT_TRUE(tried.runner().check_again(1, numerics).ok());
          with_map += tensor;
          tried.runner().release(1);
        }
  }
  EXPECT_EQ(with_map, 16u);
}

TEST_F(GpuTensorMap, ArraysByValueAreRight) {
  const KernelSpec spec = read_kernel_text(test::smooth_file, "smooth.cu");
  const Configuration configuration{{"BLOCK", 64}};
  for (const char* const given : {"", "T=int32 radius=1 n=1", "T=float radius=500 n=100003"}) {
    test::OnDevice tried(device(), spec, parse_problem(spec, given, "cuda"), configuration);
    const Status status = tried.load(1, configuration);
    EXPECT_TRUE(status.ok()) << given << ": " << status.detail;
  }
}

class GpuTensorPlan : public GpuTensorMap {
 protected:
  void SetUp() override {
    GpuTensorMap::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    folder_ = std::filesystem::path(testing::TempDir()) / "attune_tensor_plan";
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "tiles.cu") << test::tiles_file();
    std::ofstream(folder_ / "smooth.cu") << test::smooth_file;
    gpu_.emplace(DispatcherOptions{"cuda", folder_ / "none.db", folder_ / "cache",
                                   [this](const std::string& message) { warnings_.push_back(message); }});
    gpu_->add(kernel_file(folder_ / "tiles.cu"));
    gpu_->add(kernel_file(folder_ / "smooth.cu"));
  }
  Plan tiles() { return gpu_->plan("tiles", {{"width", width}, {"height", height}}); }
  std::filesystem::path folder_;
  std::vector<std::string> warnings_;
  std::optional<Dispatcher> gpu_;
};

TEST_F(GpuTensorPlan, FollowsTheArray) {
  const Plan plan = tiles();
  EXPECT_EQ(plan.configuration().at("TENSOR"), Value(true));
  const Stream stream(*gpu_);
  std::vector<float> shifted(count + 1);
  std::iota(shifted.begin(), shifted.end(), 10.f);
  const Buffer<float> one(*gpu_, numbers(1)), two(*gpu_, numbers(7)), out(*gpu_, count), longer(*gpu_, shifted);
  for (int round = 0; round < 2; ++round) {
    plan.launch(stream, out, one, width, height);
    EXPECT_EQ(out.to_vector(stream), numbers(1));
    plan.launch(stream, out, two, width, height);
    EXPECT_EQ(out.to_vector(stream), numbers(7));
    plan.launch(stream, out, longer.data() + 1, width, height);  // misaligned
    EXPECT_EQ(out.to_vector(stream), numbers(11));
  }
  EXPECT_EQ(plan.misaligned_launches(), 2u);
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("the address of `in`")));
}

// By the driver, as an application does with the steps.
TEST_F(GpuTensorPlan, ResolvesToDriverCalls) {
  const Buffer<float> in(*gpu_, numbers(3)), out(*gpu_, count);
  const ResolvedLaunch resolved = tiles().resolve(out, in, width, height);
  ASSERT_EQ(resolved.steps().size(), 1u);
  const ResolvedLaunch::Step& step = resolved.steps()[0];
  EXPECT_THAT(step.parameter_bytes, ElementsAre(8, 8, 128, 8, 8));
  const cuda::DriverApi& api = cuda::require_driver();
  const auto context = cuda::CudaContext::open(api, std::nullopt);
  const cuda::ContextScope scope(*context);
  const Stream stream(*gpu_);
  ASSERT_EQ(api.launch(static_cast<CUfunc_st*>(step.function), step.grid[0], step.grid[1], step.grid[2], step.block[0],
                       step.block[1], step.block[2], static_cast<unsigned>(step.shared_bytes), stream, step.parameters,
                       nullptr),
            0);
  EXPECT_EQ(out.to_vector(stream), numbers(3));
}

// 32,004 bytes by value, of which the kernel reads the first and the last. Drivers before CUDA 12.1 take 4,096.
TEST_F(GpuTensorPlan, PassesAsManyValuesAsALaunchTakes) {
  if (gpu_->device_info().max_parameter_bytes() < 32764) GTEST_SKIP() << "the device takes 4,096 bytes";
  std::vector<int> values(8000), weights(8001);
  std::iota(values.begin(), values.end(), 0);
  weights.front() = 1;
  weights.back() = 2;
  const Buffer<int> in(*gpu_, values), out(*gpu_, values.size());
  const Plan plan = gpu_->plan("smooth", {{"n", 8000}, {"radius", 4000}, {"T", "int32"}});
  plan.launch(nullptr, out, in, weights, 8000);
  EXPECT_EQ(out.to_vector()[3999], 2 * 7999);
  EXPECT_EQ(out.to_vector()[7999], 3999);
  weights.back() = 3;
  plan.resolve(out, in, weights, 8000).launch(nullptr);
  EXPECT_EQ(out.to_vector()[0], 3 * 4000);
}

TEST_F(GpuTensorPlan, PassesValues) {
  const Buffer<int> in(*gpu_, std::vector<int>(100, 1)), out(*gpu_, 100);
  const Plan plan = gpu_->plan("smooth", {{"n", 100}, {"radius", 1}, {"T", "int32"}});
  plan.launch(nullptr, out, in, std::array<int, 3>{1, 2, 4}, 100);
  EXPECT_EQ(out.to_vector()[50], 7);
  EXPECT_EQ(out.to_vector()[0], 6);
  plan.resolve(out, in, std::vector<int>{1, 1, 1}, 100).launch(nullptr);
  EXPECT_EQ(out.to_vector()[50], 3);
}

// Prints; the encoding is told apart from the launch.
TEST_F(GpuTensorPlan, EncodingCostsLessThanALaunch) {
  const Plan plan = tiles();
  const Buffer<float> one(*gpu_, numbers(1)), two(*gpu_, numbers(2)), out(*gpu_, count);
  const auto nanoseconds = [&](bool moves) {
    constexpr int launches = 2000;
    std::vector<double> times;
    for (int round = 0; round < 9; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < launches; ++i) plan.launch(nullptr, out, moves && i % 2 == 1 ? two : one, width, height);
      const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
      gpu_->synchronize();
      times.push_back(taken.count() / launches);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  };
  const ResolvedMap map{1, {4, {width, height}, {width * 4}, {32, 8}, 128}};
  struct alignas(64) Map {
    std::byte bytes[tensor_map_bytes];
  } bytes;
  constexpr int encodes = 20000;
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < encodes; ++i) ASSERT_TRUE(device().encode_map(map.layout, one.data(), &bytes).ok());
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  const double same = nanoseconds(false), other = nanoseconds(true), encode = taken.count() / encodes;
  std::printf("[          ] an encode %.0f ns; a launch on the same array %.0f ns, on another one %.0f ns\n", encode,
              same, other);
  EXPECT_LT(encode, 2000);
}

}  // namespace
}  // namespace attune
