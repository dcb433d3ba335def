#include "attune/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/host/host_device.hpp"
#include "dispatch/plan_parts.hpp"
#include "dispatch_fixture.hpp"

namespace attune {
namespace {

class PlanTest : public DispatchTest {
 protected:
  PlanTest() : gpu_(options()) { gpu_.add(kernel_of(offset_kernel)); }
  // Launches and returns what the kernel counted: launches of this plan so far on the stream (in scratch), and 2 n.
  std::vector<int> count(const Plan& plan) {
    plan.launch(nullptr, data_, count_, 100);
    return count_.to_vector();
  }
  Dispatcher gpu_;
  Buffer<int> data_{gpu_, std::vector<int>(100, 5)};
  Buffer<int> count_{gpu_, std::vector<int>{-1, -1}};
};

TEST_F(PlanTest, RunsEveryStepInOrder) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  EXPECT_EQ(count(plan), (std::vector<int>{1, 200}));  // memset, zeroed scratch, computed scalar
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 6));
}

TEST_F(PlanTest, AllOfOneProblemShareTheScratchOfAStream) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  count(plan);
  Plan copy = plan;
  EXPECT_EQ(count(copy)[0], 2);
  EXPECT_EQ(count(plan)[0], 3);
  copy = gpu_.plan("offset", {{"n", 50}});
  copy = plan;
  EXPECT_EQ(count(copy)[0], 4);
  EXPECT_EQ(count(gpu_.plan("offset", {{"n", 100}}))[0], 5);
}

TEST_F(PlanTest, OutlivesWhatItWasMovedFrom) {
  Plan plan = gpu_.plan("offset", {{"n", 100}});
  count(plan);
  Plan moved = std::move(plan);
  EXPECT_EQ(count(moved)[0], 2);
  Plan other = gpu_.plan("offset", {{"n", 50}});
  other = std::move(moved);
  EXPECT_EQ(count(other)[0], 3);
  EXPECT_EQ(other.problem().at("n"), Value(100));
}

TEST_F(PlanTest, AWrongArgumentReachesNoDevice) {
  const Plan plan = gpu_.plan("offset", {{"n", 100}});
  const Buffer<float> other(gpu_, 100);
  const Buffer<int> small(gpu_, 99);
  EXPECT_THROW(plan.launch(nullptr, data_, count_), UsageError);
  EXPECT_THROW(plan.launch(nullptr, data_, count_, 100, 200), UsageError);
  EXPECT_THROW(plan.launch(nullptr, other, count_, 100), UsageError);
  EXPECT_THROW(plan.launch(nullptr, small, count_, 100), UsageError);
  EXPECT_THROW(plan.launch(nullptr, data_, count_, 101), UsageError);
  EXPECT_THROW(plan.launch(nullptr, data_, count_, 100.0), UsageError);
  EXPECT_THROW(plan.launch(nullptr, 100, count_, data_), UsageError);
  EXPECT_EQ(data_.to_vector(), std::vector<int>(100, 5));
  EXPECT_EQ(count_.to_vector(), (std::vector<int>{-1, -1}));
  EXPECT_EQ(count(plan)[0], 1);  // and the plan is still good
}

TEST_F(PlanTest, RunsOnAStream) {
  const Stream stream(gpu_);
  gpu_.plan("offset", {{"n", 100}}).launch(stream, data_, count_, 100);
  stream.synchronize();
  EXPECT_EQ(data_.to_vector(stream), std::vector<int>(100, 6));
}

// No kernel file names such a type, so its bytes are given as a computed scalar's.
TEST(PlanParts, PassAnArgumentOf128Bytes) {
  const std::shared_ptr<Device> device = open_host_device();
  ImageRequest request;
  request.source = {"map.cu",
                    "struct alignas(64) Map { unsigned char bytes[128]; };"
                    "__global__ void run(int* out, Map map) { out[threadIdx.x] = map.bytes[threadIdx.x]; }",
                    {}};
  request.expressions = {"run"};
  request.architecture = "host";
  const CompileOutcome compiled = device->compiler()->compile({&request, 1}).front();
  ASSERT_TRUE(compiled.image) << compiled.log;
  std::vector<std::byte> map(128, std::byte{3});
  map.back() = std::byte{5};
  const auto steps = std::make_shared<LoadedSteps>(
      device->load(*compiled.image).module,
      std::vector<StepArgument>{{"out", Role::out, 512, {}}, {"map", Role::scalar, 128, map}});
  ASSERT_TRUE(steps->add({StepKind::launch, "run", {{1, 1, 1}, {128, 1, 1}, 0}, {0, 1}, 0, 0}).ok());
  KernelSpec spec;
  spec.arguments.resize(2);
  spec.arguments[0].role = Role::out;
  spec.arguments[1].value.emplace("0");
  spec.launch.resize(1);
  spec.launch[0].arguments = {spec.arguments[0].name};
  const std::vector<ResolvedArgument> resolved{{"int32", Role::out, 128, 512, {}}, {"", Role::scalar, 1, 128, {}}};
  const std::shared_ptr<const PlanParts> parts(
      new PlanParts{device, "run", {}, {}, ArgumentTable(spec, resolved), steps});
  std::vector<int> out(128);
  launch_plan(parts, nullptr, std::array{plan_argument(out.data())});
  std::vector<int> expected(128, 3);
  expected.back() = 5;
  EXPECT_EQ(out, expected);
}

}  // namespace
}  // namespace attune
