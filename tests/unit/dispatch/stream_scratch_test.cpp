// Scratch memory of a plan, apart for each stream.
#include "dispatch/stream_scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "device/host/host_device.hpp"
#include "device/launch_frame.hpp"

namespace attune {
namespace {

class StreamScratchTest : public testing::Test {
 protected:
  StreamScratchTest() {
    ResolvedStep clear;
    clear.kind = StepKind::memset;
    clear.memset_argument = 1;
    EXPECT_TRUE(steps_.add(clear).ok());
  }
  // What the kernel sees at its first byte, which it then sets.
  int launch(std::uint64_t stream, std::byte then, bool fails = false) {
    StreamScratch::Use use(scratch_, stream);
    Status status;
    LaunchFrame frame(steps_);
    use.memory(*device_, steps_, nullptr, status).pass_to(frame);
    EXPECT_TRUE(status.ok());
    auto* const memory = static_cast<std::byte*>(LoadedSteps::array_in(frame.slots()[1]));
    const int found = std::to_integer<int>(memory[0]);
    memory[0] = then;
    if (!fails) use.done();
    return found;
  }
  std::unique_ptr<Device> device_ = open_host_device();
  LoadedSteps steps_{nullptr, {{"unused", Role::scratch, 1 << 20, {}}, {"words", Role::scratch, 4096, {}}}};
  // Takes what was not used since the last call, down to `most` bytes.
  std::vector<ScratchMemory> take_unused(std::uint64_t most = 0) {
    std::vector<ScratchMemory> taken;
    std::uint64_t excess = held_->scratch - most;
    scratch_.take_unused(excess, taken);
    return taken;
  }
  std::shared_ptr<HeldMemory> held_ = std::make_shared<HeldMemory>();
  StreamScratch scratch_{held_};
};

TEST_F(StreamScratchTest, IsMadeAtTheFirstLaunchOnEachStream) {
  EXPECT_EQ(held_->scratch, 0u);
  EXPECT_EQ(launch(1, std::byte{5}), 0);
  EXPECT_EQ(held_->scratch, 4096u);
  EXPECT_EQ(launch(2, std::byte{7}), 0);
  EXPECT_EQ(held_->scratch, 8192u);
  EXPECT_EQ(launch(1, std::byte{6}), 5);
  EXPECT_EQ(launch(2, std::byte{8}), 7);
  EXPECT_EQ(launch(1, std::byte{6}), 6);
  EXPECT_EQ(held_->scratch, 8192u);
}

TEST_F(StreamScratchTest, IsZerosAgainAfterALaunchThatFailed) {
  launch(1, std::byte{5});
  EXPECT_EQ(launch(1, std::byte{6}, true), 5);
  EXPECT_EQ(launch(1, std::byte{7}), 0);
  EXPECT_EQ(launch(1, std::byte{7}), 7);
}

TEST_F(StreamScratchTest, IsTakenWhereNothingUsedItSince) {
  launch(1, std::byte{5});
  launch(2, std::byte{5});
  EXPECT_THAT(take_unused(), testing::IsEmpty()) << "both were used";
  launch(2, std::byte{6});
  {
    const std::vector<ScratchMemory> taken = take_unused();
    ASSERT_EQ(taken.size(), 1u);
    EXPECT_EQ(taken[0].held_bytes(), 4096u);
    EXPECT_EQ(held_->scratch, 8192u) << "it is there until it is freed";
  }
  EXPECT_EQ(held_->scratch, 4096u);
  EXPECT_EQ(launch(1, std::byte{1}), 0);
  EXPECT_EQ(launch(2, std::byte{1}), 6);
}

TEST_F(StreamScratchTest, IsTakenUntilThereIsNoMoreThanWanted) {
  for (const int stream : {3, 1, 2}) launch(static_cast<std::uint64_t>(stream), static_cast<std::byte>(stream));
  take_unused();
  EXPECT_EQ(take_unused(4096).size(), 2u);
  EXPECT_EQ(held_->scratch, 4096u);
}

TEST_F(StreamScratchTest, IsKeptWhileALaunchHasIt) {
  launch(1, std::byte{5});
  {
    const StreamScratch::Use use(scratch_, 1);
    take_unused();
    EXPECT_THAT(take_unused(), testing::IsEmpty());
    EXPECT_EQ(held_->scratch, 4096u);
  }
  EXPECT_EQ(take_unused().size(), 1u);
  EXPECT_EQ(held_->scratch, 0u);
}

// Each counts as long as it lives, whoever owns it.
TEST_F(StreamScratchTest, IsCountedOnceBesideTheEndOfItsPlan) {
  for (int round = 0; round < 200; ++round) {
    auto scratch = std::make_unique<StreamScratch>(held_);
    for (std::uint64_t stream = 0; stream < 4; ++stream) {
      StreamScratch::Use use(*scratch, stream);
      Status status;
      use.memory(*device_, steps_, nullptr, status);
      use.done();
    }
    std::vector<ScratchMemory> taken;
    std::uint64_t excess = 0;
    scratch->take_unused(excess, taken);
    excess = 2 * 4096;
    scratch->take_unused(excess, taken);
    const std::jthread freeing([memory = std::move(taken)]() mutable { memory.clear(); });
    scratch.reset();
  }
  EXPECT_EQ(held_->scratch, 0u);
}

TEST_F(StreamScratchTest, IsOfOneLaunchAtATime) {
  const auto count = [this](std::uint64_t stream) {
    StreamScratch::Use use(scratch_, stream);
    Status status;
    LaunchFrame frame(steps_);
    use.memory(*device_, steps_, nullptr, status).pass_to(frame);
    const int counted = ++*static_cast<int*>(LoadedSteps::array_in(frame.slots()[1]));
    use.done();
    return counted;
  };
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&count, t] {
        for (int i = 0; i < 2000; ++i) count(t % 2 == 0 ? 1 : 2);
      });
  }
  EXPECT_EQ(count(1), 4001);
  EXPECT_EQ(count(2), 4001);
}

TEST_F(StreamScratchTest, SaysWhatHasNoRoomAndTriesAgain) {
  LoadedSteps huge(nullptr, {{"huge", Role::scratch, std::uint64_t{1} << 62, {}}});
  ResolvedStep clear;
  clear.kind = StepKind::memset;
  ASSERT_TRUE(huge.add(clear).ok());
  for (int call = 0; call < 2; ++call) {
    StreamScratch::Use use(scratch_, 1);
    Status status;
    EXPECT_THAT(
        [&] { use.memory(*device_, huge, nullptr, status); },
        testing::Throws<OutOfMemory>(testing::Property(&OutOfMemory::what, testing::HasSubstr("scratch `huge`: "))));
  }
  EXPECT_EQ(held_->scratch, 0u);
}

}  // namespace
}  // namespace attune
