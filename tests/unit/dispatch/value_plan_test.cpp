// Plans of a kernel that takes an array by value.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <span>
#include <vector>

#include "dispatch_fixture.hpp"
#include "support/message_of.hpp"
#include "support/smooth_kernel.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ValuePlan : public DispatchTest {
 protected:
  ValuePlan() : gpu_(options()) {
    std::ofstream(folder_ / "smooth.cu") << test::smooth_file;
    gpu_.add(kernel_file(folder_ / "smooth.cu"));
  }
  // 1, 2, 3, 4, weighted.
  template <typename Weights>
  std::vector<int> smooth(const Plan& plan, const Weights& weights) const {
    plan.launch(nullptr, out_, in_, weights, 4);
    return out_.to_vector();
  }
  template <typename Weights>
  std::string refusal(const Plan& plan, const Weights& weights) const {
    return message_of<UsageError>([&] { smooth(plan, weights); });
  }
  Dispatcher gpu_;
  Buffer<int> in_{gpu_, std::vector<int>{1, 2, 3, 4}}, out_{gpu_, 4};
  const Problem problem_{{{"n", 4}, {"radius", 1}, {"T", "int32"}}};
};

TEST_F(ValuePlan, TakesTheElementsOfAnObject) {
  const Plan plan = gpu_.plan("smooth", problem_);
  const std::array<int, 3> sum{1, 1, 1};
  std::vector<int> left{1, 0, 0};
  EXPECT_EQ(smooth(plan, sum), (std::vector<int>{3, 6, 9, 7}));
  EXPECT_EQ(smooth(plan, left), (std::vector<int>{0, 1, 2, 3}));
  left = {0, 0, 5};
  EXPECT_EQ(smooth(plan, std::span<const int>(left)), (std::vector<int>{10, 15, 20, 0}));
  EXPECT_EQ(smooth(plan, std::span<int>(left)), (std::vector<int>{10, 15, 20, 0}));
  EXPECT_EQ(smooth(Plan(plan), sum), (std::vector<int>{3, 6, 9, 7}));
}

// 8,001 weights are 32,004 bytes. The last one counts the element 4,000 places behind.
TEST_F(ValuePlan, MayHaveNearlyAllThatALaunchTakes) {
  const std::size_t n = 8000;
  std::vector<int> values(n), weights(8001);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<int>(i);
  weights.front() = 1;
  weights.back() = 2;
  const Buffer<int> in(gpu_, values), out(gpu_, n);
  const Plan plan = gpu_.plan("smooth", {{"n", 8000}, {"radius", 4000}, {"T", "int32"}});
  plan.launch(nullptr, out, in, weights, 8000);
  EXPECT_EQ(out.to_vector()[0], 2 * 4000);
  EXPECT_EQ(out.to_vector()[3999], 2 * 7999);
  EXPECT_EQ(out.to_vector()[4000], 0);
  EXPECT_EQ(out.to_vector()[7999], 3999);
  EXPECT_THAT(message_of<Error>([&] {
                gpu_.plan("smooth", {{"n", 4}, {"radius", 4092}, {"T", "int32"}});
              }),
              HasSubstr("its parameters have 32768 bytes; a launch takes 32764"));
}

// The host device may copy it by wider accesses than its elements ask for.
TEST_F(ValuePlan, LiesAsItsTypeAsks) {
  std::ofstream(folder_ / "aligned.cu") << R"cu(/*attune
[kernel]
name = "aligned"
[problem]
n = { size = 1 }
[parameters]
BLOCK = [32]
[[launch]]
entry = "aligned<BLOCK>"
grid = ["1"]
block = ["BLOCK"]
arguments = ["out", "weights"]
[arguments]
out = { type = "int32", size = "2", role = "out" }
weights = { type = "int32", size = "8", role = "in", pass = "value", fill = "constant(1)" }
*/
struct alignas(32) Weights { int values[8]; };
template <int BLOCK>
__global__ void aligned(int* out, const __grid_constant__ Weights weights) {
  out[0] = weights.values[0];
  out[1] = weights.values[7];
}
)cu";
  gpu_.add(kernel_file(folder_ / "aligned.cu"));
  const Plan plan = gpu_.plan("aligned");
  alignas(32) const std::array<int, 12> numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  for (std::size_t first = 0; first < 4; ++first) {
    const Buffer<int> out(gpu_, std::vector<int>{-1, -1});
    plan.launch(nullptr, out, std::span<const int>(numbers).subspan(first, 8));
    EXPECT_EQ(out.to_vector(), (std::vector<int>{static_cast<int>(first), static_cast<int>(first) + 7}));
  }
}

TEST_F(ValuePlan, RefusesPointersAndOtherObjects) {
  const Plan plan = gpu_.plan("smooth", problem_);
  const std::array<int, 3> right{1, 1, 1};
  const Buffer<int> buffer(gpu_, 3);
  EXPECT_THAT(refusal(plan, right.data()),
              AllOf(HasSubstr("argument 3, `weights`, is an array of 3 int32 that is passed by value"),
                    HasSubstr("a pointer to const int32 was passed; pass a std::array or std::span"),
                    HasSubstr("weights: 3 int32 by value")));
  EXPECT_THAT(refusal(plan, buffer), HasSubstr("a Buffer, which is device memory, was passed"));
  EXPECT_THAT(refusal(plan, std::array<int, 2>{1, 1}), HasSubstr("an object in host memory, of 2 int32, was passed"));
  EXPECT_THAT(refusal(plan, std::array<int, 4>{1, 1}), HasSubstr("of 4 int32"));
  EXPECT_THAT(refusal(plan, std::array<float, 3>{1, 1}), HasSubstr("of 3 float"));
  EXPECT_THAT(refusal(plan, std::span<const int>(right).first(2)), HasSubstr("an object with 2 int32 was passed"));
  EXPECT_THAT(refusal(plan, 3), HasSubstr("the integer 3 was passed"));
  EXPECT_EQ(smooth(plan, right), (std::vector<int>{3, 6, 9, 7}));  // and the plan is still good
}

TEST_F(ValuePlan, AnObjectInHostMemoryIsNoArrayOfTheDevice) {
  const Plan plan = gpu_.plan("smooth", problem_);
  const std::vector<int> host{1, 2, 3, 4};
  EXPECT_THAT(message_of<UsageError>([&] { plan.launch(nullptr, out_, host, std::array<int, 3>{}, 4); }),
              HasSubstr("an object in host memory, of 4 int32, was passed"));
  EXPECT_THAT(message_of<UsageError>([&] { plan.launch(nullptr, out_, in_, std::array<int, 3>{}, host); }),
              HasSubstr("argument 4, `n`"));
}

}  // namespace
}  // namespace attune
