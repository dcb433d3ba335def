// What a plan asks of its device when a graph is recorded. A recording device shows it without a GPU; what the driver
// makes of it: tests/gpu/graph_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dispatch/plan_parts.hpp"
#include "support/idle_device.hpp"

namespace attune {
namespace {

using testing::ElementsAre;

class RecordingDevice final : public test::IdleDevice {
 public:
  bool is_captured(StreamHandle) override { return captured; }
  Status keep_in_graph(StreamHandle, std::shared_ptr<const void> object) override {
    calls.emplace_back("keep");
    graph.push_back(std::move(object));
    return refusal;
  }
  Status clear(void*, std::size_t bytes) override {
    calls.push_back("clear " + std::to_string(bytes));
    return {};
  }
  Status enqueue(const Operation& operation, StreamHandle) override {
    if (operation.kind == Operation::Kind::memset) {
      calls.emplace_back("memset");
      targets.push_back(operation.target);
      return {};
    }
    if (operation.kind == Operation::Kind::copy) {
      calls.emplace_back("copy");
      return {};
    }
    calls.emplace_back("launch");
    return {};
  }
  void* allocate(std::size_t bytes) override {
    ++memories;
    return IdleDevice::allocate(bytes);
  }
  void free(void* address) noexcept override {
    --memories;
    IdleDevice::free(address);
  }
  bool captured = true;
  int memories = 0;
  Status refusal;
  std::vector<std::string> calls;
  std::vector<const void*> targets;
  std::vector<std::shared_ptr<const void>> graph;
};

class CaptureTest : public testing::Test {
 protected:
  // `out` is cleared; then comes a launch with `out`, and scratch memory if that is asked for.
  std::shared_ptr<const PlanParts> parts(bool with_scratch) {
    KernelSpec spec;
    ResolvedPlan resolved;
    const auto add = [&](const char* name, Role role, std::uint64_t bytes) {
      spec.arguments.push_back({name, "uint8", role, {}, {}, true, {}});
      resolved.arguments.push_back({"uint8", role, bytes, bytes, {}});
    };
    add("out", Role::out, 8);
    add("words", Role::scratch, 64);
    spec.launch.resize(1);
    spec.launch[0].arguments = {"out"};
    ResolvedStep clear, launch;
    clear.kind = StepKind::memset;
    if (with_scratch) clear.memset_argument = 1;
    launch.arguments = {0};
    resolved.steps = {clear, launch};
    Status status;
    return make_plan_parts(std::make_shared<PlanContext>(device_, nullptr, held_), std::make_shared<KernelSpec>(spec),
                           {module_}, {}, {}, resolved, status);
  }
  void launch(const std::shared_ptr<const PlanParts>& parts) {
    device_->calls.clear();
    device_->targets.clear();
    launch_plan(parts, nullptr, std::array{plan_argument(out_.data())});
  }
  std::shared_ptr<RecordingDevice> device_ = std::make_shared<RecordingDevice>();
  std::shared_ptr<test::IdleModule> module_ = std::make_shared<test::IdleModule>();
  std::shared_ptr<HeldMemory> held_ = std::make_shared<HeldMemory>();
  std::array<std::uint8_t, 8> out_{};
};

TEST_F(CaptureTest, TheGraphHoldsThePlansCode) {
  auto plan = parts(false);
  launch(plan);
  EXPECT_THAT(device_->calls, ElementsAre("keep", "memset", "launch"));
  plan.reset();
  EXPECT_GT(module_.use_count(), 1);
  device_->graph.clear();
  EXPECT_EQ(module_.use_count(), 1);
}

TEST_F(CaptureTest, EachRecordedLaunchHasZeroedScratchOfItsOwn) {
  auto plan = parts(true);
  device_->captured = false;
  launch(plan);
  EXPECT_THAT(device_->calls, ElementsAre("memset", "memset", "launch")) << "the first zeroes, in the stream's order";
  launch(plan);
  EXPECT_THAT(device_->calls, ElementsAre("memset", "launch"));
  const void* const of_stream = device_->targets.front();
  device_->captured = true;
  launch(plan);
  EXPECT_THAT(device_->calls, ElementsAre("clear 64", "keep", "memset", "launch")) << "zeroing is not recorded";
  const void* const of_first = device_->targets.front();
  launch(plan);
  EXPECT_NE(of_first, of_stream);
  EXPECT_NE(device_->targets.front(), of_first);
  EXPECT_EQ(held_->scratch, 64u);
  EXPECT_EQ(device_->memories, 3);
  plan.reset();
  EXPECT_EQ(device_->memories, 3) << "the stream's is the plan's, which graphs hold";
  device_->graph.clear();
  EXPECT_EQ(device_->memories, 0);
}

TEST_F(CaptureTest, NothingIsRecordedThatTheGraphCannotHold) {
  const auto plan = parts(true);
  device_->refusal = {Verdict::launch_error, "no", false};
  EXPECT_THROW(launch(plan), Error);
  EXPECT_THAT(device_->calls, ElementsAre("clear 64", "keep"));
}

}  // namespace
}  // namespace attune
