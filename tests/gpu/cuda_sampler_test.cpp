// Samples of several kernels in turn, enqueued together.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "measure/statistics.hpp"
#include "support/gpu.hpp"

namespace attune {
namespace {

using test::launch_of;
using test::TestMemory;

constexpr const char* source = R"(
__global__ void copy(float4* to, const float4* from, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
)";
constexpr std::size_t bytes = std::size_t{64} << 20;
constexpr LaunchShape shape{{bytes / 16 / 256, 1, 1}, {256, 1, 1}, 0};

// Two launches, one of which takes many times as long.
class CudaSampler : public test::GpuTest {
 protected:
  void SetUp() override {
    test::GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    module_ = load(source, {"copy"});
    ASSERT_NE(module_, nullptr);
    from_.emplace(device(), bytes);
    to_.emplace(device(), bytes);
    in_ = from_->data();
    out_ = to_->data();
    brief_ = launch_of(function(shape), shape, few_parameters_);
    longer_ = launch_of(function(shape), shape, many_parameters_);
  }
  FunctionHandle function(const LaunchShape& of) {
    Status status;
    const FunctionHandle handle = module_->function("copy", of, status);
    EXPECT_TRUE(status.ok()) << status.detail;
    return handle;
  }
  // Every second sample, from `first` on.
  static std::vector<double> every_second(const DeviceTimes& samples, std::size_t first) {
    std::vector<double> some;
    for (std::size_t i = first; i < samples.nanoseconds.size(); i += 2) some.push_back(samples.nanoseconds[i]);
    return some;
  }

  std::shared_ptr<Module> module_;
  std::optional<TestMemory> from_, to_;
  void *in_ = nullptr, *out_ = nullptr;
  long long few_ = 256, many_ = bytes / 16;
  std::vector<void*> few_parameters_{&out_, &in_, &few_}, many_parameters_{&out_, &in_, &many_};
  Operation brief_, longer_;
  const std::span<const Operation> brief_only_{&brief_, 1}, longer_only_{&longer_, 1};
};

TEST_F(CudaSampler, SamplesOfSeveralKernelsInTurnAreMoreThanAStreamTakesAtOnce) {
  std::vector<Sampling> turns;
  for (int i = 0; i < 150; ++i) {
    turns.push_back({{}, {&brief_only_, 1}, Regime::cold, 7, 1});  // one sample of it all the same
    turns.push_back({{}, {&longer_only_, 1}, Regime::cold, 1, i == 100 ? 50 : 1});
  }
  const DeviceTimes samples = device().take_samples_in_turn(turns);
  ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
  ASSERT_EQ(samples.nanoseconds.size(), turns.size());
  const double alone = median(device().take_samples({{}, {&longer_only_, 1}, Regime::cold, 40, 1}).nanoseconds);
  const double among_others = median(every_second(samples, 1));
  EXPECT_LT(median(every_second(samples, 0)), 0.5 * alone);
  EXPECT_NEAR(among_others, alone, 0.05 * alone);
  std::printf("a copy of 64 MiB: %.2f us among others, %.2f us among its like\n", among_others / 1e3, alone / 1e3);
}

TEST_F(CudaSampler, ARefusedLaunchAmongOthersHoldsNothingBack) {
  const Operation bad = launch_of(function({}), {{1, 1, 1}, {4096, 1, 1}, 0}, few_parameters_);
  const std::span<const Operation> refused(&bad, 1);
  std::vector<Sampling> turns(20, {{}, {&longer_only_, 1}, Regime::cold, 1, 1});
  turns[3].timed = {&refused, 1};
  const DeviceTimes failed = device().take_samples_in_turn(turns);
  EXPECT_FALSE(failed.status.ok());
  EXPECT_TRUE(failed.nanoseconds.empty()) << "those before it were to run with it";
  turns.resize(3);
  for (int i = 0; i < 80; ++i) {
    const auto& timed = i % 2 == 0 ? brief_only_ : longer_only_;
    turns.push_back({{}, {&timed, 1}, i % 3 == 0 ? Regime::warm : Regime::cold, 1, i % 2 == 0 ? 400 : 20});
  }
  EXPECT_TRUE(device().take_samples_in_turn(turns).status.ok()) << "nothing holds the stream back for ever";
}

// The same batch of each, as in a session: every kernel is timed by its own graph, in both regimes.
TEST_F(CudaSampler, BatchesOfSeveralKernelsInTurnAreEachItsOwn) {
  const std::array<std::span<const Operation>, 2> brief = {brief_only_, brief_only_};
  const std::array<std::span<const Operation>, 2> longer = {longer_only_, longer_only_};
  for (const Regime regime : {Regime::cold, Regime::warm}) {
    const double alone = median(device().take_samples({{}, longer, regime, 10, 20}).nanoseconds);
    std::vector<Sampling> turns;
    for (int i = 0; i < 120; ++i) turns.push_back({{}, i % 2 == 0 ? brief : longer, regime, 1, 20});
    const DeviceTimes samples = device().take_samples_in_turn(turns);
    ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
    ASSERT_EQ(samples.nanoseconds.size(), turns.size());
    EXPECT_LT(median(every_second(samples, 0)), 0.5 * alone);
    EXPECT_NEAR(median(every_second(samples, 1)), alone, 0.1 * alone);
  }
}

}  // namespace
}  // namespace attune
