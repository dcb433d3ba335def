// A plan's steps for given arguments, launched by themselves and by code of one's own.
#include "attune/resolved_launch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <fstream>
#include <numeric>
#include <type_traits>

#include "device/device.hpp"
#include "dispatch_fixture.hpp"
#include "support/smooth_kernel.hpp"
#include "support/tiles_kernel.hpp"
#include "support/variable_kernel.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Resolved : public DispatchTest {
 protected:
  Resolved() : gpu_(options()) { gpu_.add(kernel_of(offset_kernel)); }
  void add(const char* name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    gpu_.add(kernel_file(path));
  }
  std::vector<int> count(const ResolvedLaunch& resolved) {
    resolved.launch(nullptr);
    return count_.to_vector();
  }
  Dispatcher gpu_;
  Buffer<int> data_{gpu_, std::vector<int>(100, 5)};
  Buffer<int> count_{gpu_, std::vector<int>{-1, -1}};
};

TEST_F(Resolved, IsLaunchedAnyNumberOfTimesOnTheSameArrays) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  const ResolvedLaunch resolved = plan.resolve(data_, count_, 100);
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 5));  // nothing is launched yet
  EXPECT_THAT(count(resolved), ElementsAre(1, 200));
  EXPECT_THAT(count(resolved), ElementsAre(2, 200));
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 7));
}

TEST_F(Resolved, HasScratchOfItsOwnAndOutlivesItsPlan) {
  std::optional<Plan> plan = gpu_.plan("offset", {{"n", 100}});
  const Buffer<int> other(gpu_, std::vector<int>(100, 0));
  ResolvedLaunch one = plan->resolve(data_, count_, 100), two = plan->resolve(other, count_, 100);
  plan->launch(nullptr, data_, count_, 100);
  plan.reset();
  EXPECT_THAT(count(one), ElementsAre(1, 200));
  EXPECT_THAT(count(one), ElementsAre(2, 200));
  EXPECT_THAT(count(two), ElementsAre(1, 200));
  EXPECT_EQ(other.to_vector(), std::vector<int>(100, 1));
  two = std::move(one);
  EXPECT_THAT(count(two), ElementsAre(3, 200));
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 9));
  static_assert(!std::is_copy_constructible_v<ResolvedLaunch>);
}

TEST_F(Resolved, ShowsEachDriverCall) {
  const ResolvedLaunch resolved = gpu_.plan("offset", {{"n", 100}}).resolve(data_, count_, 100);
  ASSERT_EQ(resolved.steps().size(), 2u);
  const ResolvedLaunch::Step &clear = resolved.steps()[0], &launch = resolved.steps()[1];
  EXPECT_EQ(clear.kind, ResolvedLaunch::Kind::memset);
  EXPECT_EQ(clear.name, "memset of `count`");
  EXPECT_EQ(clear.target, count_.data());
  EXPECT_EQ(clear.bytes, 8u);
  EXPECT_EQ(clear.value, 0);
  EXPECT_EQ(launch.kind, ResolvedLaunch::Kind::launch);
  EXPECT_EQ(launch.name, "offset<int, 1, 64>");
  EXPECT_NE(launch.function, nullptr);
  EXPECT_THAT(launch.grid, ElementsAre(2, 1, 1));
  EXPECT_THAT(launch.block, ElementsAre(64, 1, 1));
  EXPECT_EQ(launch.shared_bytes, 0u);
  EXPECT_THAT(launch.cluster, ElementsAre(1, 1, 1));
  EXPECT_FALSE(launch.overlaps);
  EXPECT_THAT(launch.parameter_bytes, ElementsAre(8, 8, 8, 8, 8));
  const auto number = [&](std::size_t i) {
    long long value = 0;
    std::memcpy(&value, launch.parameters[i], sizeof value);
    return value;
  };
  EXPECT_EQ(number(0), reinterpret_cast<long long>(data_.data()));
  EXPECT_EQ(number(3), 100);
  EXPECT_EQ(number(4), 200);
}

// As an application does that launches by the driver itself.
TEST_F(Resolved, IsAllThatALaunchNeeds) {
  const ResolvedLaunch resolved = gpu_.plan("offset", {{"n", 100}}).resolve(data_, count_, 100);
  const ResolvedLaunch::Step& step = resolved.steps()[1];
  Operation operation;
  operation.function = step.function;
  operation.shape = {step.grid, step.block, step.shared_bytes};
  operation.parameters = step.parameters;
  ASSERT_TRUE(gpu_.device()->enqueue(operation, nullptr).ok());
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 6));
}

TEST_F(Resolved, HoldsTensorMapsAndArraysByValue) {
  add("tiles.cu", test::tiles_file());
  add("smooth.cu", test::smooth_file);
  std::vector<float> numbers(4800 + 1);
  std::iota(numbers.begin(), numbers.end(), 1.f);
  const Buffer<float> in(gpu_, numbers), out(gpu_, 4800);
  const Plan tiles = gpu_.plan("tiles");
  const ResolvedLaunch by_map = tiles.resolve(out, in, 100, 48);
  EXPECT_THAT(by_map.steps()[0].parameter_bytes, ElementsAre(8, 8, 128, 8, 8));
  tiles.launch(nullptr, out, in.data() + 1, 100, 48);  // another array: without the map
  by_map.launch(nullptr);
  EXPECT_EQ(out.to_vector(), std::vector<float>(numbers.begin(), numbers.end() - 1));
  EXPECT_EQ(warnings_.size(), 1u);
  tiles.resolve(out, in.data() + 1, 100, 48).launch(nullptr);
  EXPECT_EQ(out.to_vector(), std::vector<float>(numbers.begin() + 1, numbers.end()));

  std::array<int, 3> weights{1, 1, 1};
  const Buffer<int> ones(gpu_, std::vector<int>(100, 1));
  const ResolvedLaunch smooth =
      gpu_.plan("smooth", {{"n", 100}, {"radius", 1}, {"T", "int32"}}).resolve(data_, ones, weights, 100);
  EXPECT_THAT(smooth.steps()[0].parameter_bytes, ElementsAre(8, 8, 12, 8));
  weights.fill(0);  // the elements are its own
  smooth.launch(nullptr);
  EXPECT_EQ(data_.to_vector()[50], 3);
}

TEST_F(Resolved, UploadsVariablesOfItsOwn) {
  add("variable.cu", test::variable_file);
  const Plan plan = gpu_.plan("variable");
  Buffer<int> seven(gpu_, std::vector<int>{7});
  const Buffer<int> two(gpu_, std::vector<int>{2});
  const ResolvedLaunch resolved = plan.resolve(data_, seven, 100);
  ASSERT_EQ(resolved.steps().size(), 2u);
  EXPECT_EQ(resolved.steps()[0].kind, ResolvedLaunch::Kind::copy);
  EXPECT_EQ(resolved.steps()[0].source, seven.data());
  EXPECT_EQ(resolved.steps()[0].bytes, 4u);
  EXPECT_NE(resolved.steps()[0].target, nullptr);
  plan.launch(nullptr, data_, two, 100);
  resolved.launch(nullptr);
  resolved.launch(nullptr);
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 5 + 2 + 7 + 7));
  seven.copy_from(std::vector<int>{1});
  resolved.launch(nullptr);
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 5 + 2 + 7 + 7 + 1)) << "each launch uploads what is there";
}

TEST_F(Resolved, ChecksItsArgumentsAsALaunchDoes) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  EXPECT_THROW(plan.resolve(data_, count_), UsageError);
  EXPECT_THROW(plan.resolve(data_, count_, 101), UsageError);
  EXPECT_THROW(plan.resolve(data_, nullptr, 100), UsageError);
}

}  // namespace
}  // namespace attune
