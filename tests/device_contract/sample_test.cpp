// Samples: of one kernel, in batches, and of several kernels in turn.
#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <optional>
#include <span>

#include "device_contract/contract_test.hpp"
#include "measure/statistics.hpp"

namespace attune {
namespace {

using test::Array;
using test::fill_of_bytes;
using test::launch_of;

constexpr const char* sample_source = R"(
__global__ void copy(float4* to, const float4* from, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
)";

// Two launches of one kernel, one of which takes many times as long.
class SampleContract : public test::ContractTest {
 protected:
  void SetUp() override {
    test::ContractTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    bytes_ = std::size_t{1} << (is_host() ? 18 : 26);
    shape_ = test::shape(static_cast<std::uint32_t>(bytes_ / 16 / 256), 256);
    many_ = static_cast<long long>(bytes_ / 16);
    module_ = load(sample_source, {"copy"});
    ASSERT_NE(module_, nullptr);
    from_.emplace(device(), bytes_);
    to_.emplace(device(), bytes_);
    in_ = from_->data();
    out_ = to_->data();
    longer_ = launch_of(function(*module_, "copy", shape_), shape_, many_parameters_);
    brief_ = longer_;
    brief_.shape.grid[0] = 1;
  }
  // Returns the median of every second sample, from `first` on.
  static double median_of_every_second(const DeviceTimes& samples, std::size_t first) {
    std::vector<double> some;
    for (std::size_t i = first; i < samples.nanoseconds.size(); i += 2) some.push_back(samples.nanoseconds[i]);
    return median(some);
  }
  // A device that shares its processor with other programs is less steady.
  double tolerance(double of_gpu) const { return is_host() ? 3 : of_gpu; }

  std::size_t bytes_ = 0;
  LaunchShape shape_;
  std::shared_ptr<Module> module_;
  std::optional<Array<unsigned char>> from_, to_;
  void *in_ = nullptr, *out_ = nullptr;
  long long many_ = 0;
  std::vector<void*> many_parameters_{&out_, &in_, &many_};
  Operation brief_, longer_;
  const std::span<const Operation> brief_only_{&brief_, 1}, longer_only_{&longer_, 1};
};

TEST_F(SampleContract, WhatRunsBeforeAndTheFlushAreNotTimed) {
  const Operation restore = fill_of_bytes(from_->data(), bytes_, 3);
  double longer = 1e30, brief = 1e30, behind = 1e30;
  for (int i = 0; i < 10; ++i) {
    const SingleTime sample = instruments().sample({&restore, 1}, longer_only_, true);
    ASSERT_TRUE(sample.status.ok()) << sample.status.detail;
    ASSERT_GT(sample.nanoseconds, 0);
    longer = std::min(longer, sample.nanoseconds);
    brief = std::min(brief, instruments().sample({&restore, 1}, brief_only_, true).nanoseconds);
    behind = std::min(behind, instruments().sample(longer_only_, brief_only_, false).nanoseconds);
  }
  EXPECT_EQ((*to_)[bytes_ - 1], 3) << "`before` runs before `timed`";
  EXPECT_LT(brief, longer / 2);
  EXPECT_LT(behind, longer / 2);
  const SingleTime nothing = instruments().sample({}, {}, false);
  EXPECT_TRUE(nothing.status.ok());
  EXPECT_LT(nothing.nanoseconds, 1e6);
}

TEST_F(SampleContract, WhatRunsAfterIsNotTimedAndLeavesThePresentData) {
  const Operation restore = fill_of_bytes(to_->data(), bytes_, 7);
  const SingleTime alone = instruments().sample({}, brief_only_, true);
  ASSERT_TRUE(alone.status.ok()) << alone.status.detail;
  const DeviceTimes samples = instruments().take_samples(
      {.before = {}, .timed = {&brief_only_, 1}, .after = {&restore, 1}, .flush = false, .count = 5});
  ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
  EXPECT_EQ(samples.nanoseconds.size(), 5u);
  EXPECT_EQ((*to_)[0], 7);
  EXPECT_EQ((*to_)[bytes_ - 1], 7) << "`after` runs after the last sample too";
}

TEST_F(SampleContract, ABatchTakesItsSetsInTurnAndHidesWhatLaunchingTakes) {
  constexpr std::size_t sets = 4, count = 16;
  std::deque<Array<unsigned char>> targets;
  std::array<void*, sets> addresses;
  std::array<std::vector<void*>, sets> parameters;
  std::array<Operation, sets> launches;
  std::vector<std::span<const Operation>> timed;
  for (std::size_t i = 0; i < sets; ++i) {
    addresses[i] = targets.emplace_back(device(), count * 256).data();
    parameters[i] = {&addresses[i], &in_, &many_};
    launches[i] = launch_of(brief_.function, brief_.shape, parameters[i]);
    timed.emplace_back(&launches[i], 1);
  }
  from_->write(std::vector<unsigned char>(count * 256, 5));
  for (const bool flush : {true, false}) {
    const DeviceTimes single = instruments().take_samples({.before = {}, .timed = timed, .flush = flush, .count = 40});
    ASSERT_TRUE(single.status.ok()) << single.status.detail;
    ASSERT_EQ(single.nanoseconds.size(), 40u);
    const DeviceTimes batch =
        instruments().take_samples({.before = {}, .timed = timed, .flush = flush, .count = 10, .batch = 400});
    ASSERT_TRUE(batch.status.ok()) << batch.status.detail;
    ASSERT_EQ(batch.nanoseconds.size(), 10u);
    if (!is_host()) {  // on the host a launch is only a call
      EXPECT_LT(median(batch.nanoseconds), median(single.nanoseconds));
    }
    std::printf("a kernel of one block, %s: alone %.2f us (%.2f to %.2f), in a batch %.2f us (%.2f to %.2f)\n",
                flush ? "after a flush" : "warm", median(single.nanoseconds) / 1e3,
                quantile(single.nanoseconds, 0.1) / 1e3, quantile(single.nanoseconds, 0.9) / 1e3,
                median(batch.nanoseconds) / 1e3, quantile(batch.nanoseconds, 0.1) / 1e3,
                quantile(batch.nanoseconds, 0.9) / 1e3);
  }
  for (const Array<unsigned char>& target : targets) EXPECT_EQ(target[count * 256 - 1], 5);
}

TEST_F(SampleContract, SeveralKernelsInTurnAreEachItsOwnHoweverMany) {
  std::vector<Sampling> slots;
  for (int i = 0; i < 150; ++i) {
    slots.push_back({.before = {}, .timed = {&brief_only_, 1}, .count = 7});  // one sample, although `count` is 7
    slots.push_back({.before = {}, .timed = {&longer_only_, 1}, .batch = i == 100 ? 50 : 1});
  }
  const DeviceTimes samples = instruments().take_samples_in_turn(slots);
  ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
  ASSERT_EQ(samples.nanoseconds.size(), slots.size());
  const double alone =
      median(instruments().take_samples({.before = {}, .timed = {&longer_only_, 1}, .count = 40}).nanoseconds);
  const double among_others = median_of_every_second(samples, 1);
  EXPECT_LT(median_of_every_second(samples, 0), 0.5 * alone);
  EXPECT_NEAR(among_others, alone, tolerance(0.05) * alone);
  std::printf("a copy of %zu KiB: %.2f us among others, %.2f us among its like\n", bytes_ >> 10, among_others / 1e3,
              alone / 1e3);
}

// Batches of the same size of each kernel, as in a session: every kernel is timed by its own graph, after a flush and
// warm.
TEST_F(SampleContract, BatchesOfSeveralKernelsInTurnAreEachItsOwn) {
  const std::array<std::span<const Operation>, 2> brief = {brief_only_, brief_only_};
  const std::array<std::span<const Operation>, 2> longer = {longer_only_, longer_only_};
  for (const bool flush : {true, false}) {
    const double alone =
        median(instruments()
                   .take_samples({.before = {}, .timed = longer, .flush = flush, .count = 10, .batch = 20})
                   .nanoseconds);
    std::vector<Sampling> slots;
    for (int i = 0; i < 120; ++i)
      slots.push_back({.before = {}, .timed = i % 2 == 0 ? brief : longer, .flush = flush, .batch = 20});
    const DeviceTimes samples = instruments().take_samples_in_turn(slots);
    ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
    ASSERT_EQ(samples.nanoseconds.size(), slots.size());
    EXPECT_LT(median_of_every_second(samples, 0), 0.5 * alone);
    EXPECT_NEAR(median_of_every_second(samples, 1), alone, tolerance(0.1) * alone);
  }
}

TEST_F(SampleContract, ARefusedLaunchIsToldAndHoldsNothingBack) {
  Operation bad = brief_;
  bad.shape.block[0] = 4096;
  const std::span<const Operation> refused(&bad, 1);
  EXPECT_FALSE(
      instruments().take_samples({.before = {}, .timed = {&refused, 1}, .flush = false, .batch = 10}).status.ok());
  EXPECT_TRUE(
      instruments().take_samples({.before = {}, .timed = {&brief_only_, 1}, .flush = false, .batch = 10}).status.ok());
  std::vector<Sampling> slots(20, {.before = {}, .timed = {&longer_only_, 1}});
  slots[3].timed = {&refused, 1};
  const DeviceTimes failed = instruments().take_samples_in_turn(slots);
  EXPECT_FALSE(failed.status.ok());
  EXPECT_FALSE(failed.status.sticky);
  EXPECT_LE(failed.nanoseconds.size(), is_host() ? 3u : 0u) << "what is enqueued together fails together";
  slots.resize(3);
  for (int i = 0; i < 80; ++i) {
    const auto& timed = i % 2 == 0 ? brief_only_ : longer_only_;
    slots.push_back({.before = {}, .timed = {&timed, 1}, .flush = i % 3 != 0, .batch = i % 2 == 0 ? 400 : 20});
  }
  EXPECT_TRUE(instruments().take_samples_in_turn(slots).status.ok()) << "nothing holds the stream back for ever";
}

}  // namespace
}  // namespace attune
