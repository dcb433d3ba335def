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
  std::shared_ptr<Holdings> holdings_ = std::make_shared<Holdings>();
  StreamScratch scratch_{holdings_};
};

TEST_F(StreamScratchTest, IsMadeAtTheFirstLaunchOnEachStream) {
  EXPECT_EQ(scratch_.bytes(), 0u);
  EXPECT_EQ(launch(1, std::byte{5}), 0);
  EXPECT_EQ(scratch_.bytes(), 4096u);
  EXPECT_EQ(launch(2, std::byte{7}), 0);
  EXPECT_EQ(scratch_.bytes(), 8192u);
  EXPECT_EQ(launch(1, std::byte{6}), 5);
  EXPECT_EQ(launch(2, std::byte{8}), 7);
  EXPECT_EQ(launch(1, std::byte{6}), 6);
  EXPECT_EQ(scratch_.bytes(), 8192u);
}

TEST_F(StreamScratchTest, IsZerosAgainAfterALaunchThatFailed) {
  launch(1, std::byte{5});
  EXPECT_EQ(launch(1, std::byte{6}, true), 5);
  EXPECT_EQ(launch(1, std::byte{7}), 0);
  EXPECT_EQ(launch(1, std::byte{7}), 7);
}

TEST_F(StreamScratchTest, IsTakenWhereNothingUsedItForTwoEpochs) {
  launch(1, std::byte{5});
  launch(2, std::byte{5});
  holdings_->begin_epoch();
  launch(2, std::byte{6});
  EXPECT_THAT(holdings_->take_unused(0), testing::IsEmpty());
  EXPECT_EQ(scratch_.bytes(), 8192u);
  holdings_->begin_epoch();
  std::vector<ScratchMemory> taken = holdings_->take_unused(0);
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].bytes(), 4096u);
  EXPECT_EQ(scratch_.bytes(), 4096u);
  EXPECT_EQ(holdings_->scratch_bytes(), 8192u) << "it is there until it is freed";
  EXPECT_EQ(launch(1, std::byte{1}), 0);
  EXPECT_EQ(launch(2, std::byte{1}), 6);
}

TEST_F(StreamScratchTest, IsTakenInTheOrderOfItsLastUseUntilThereIsNoMoreThanWanted) {
  for (const int stream : {3, 1, 2}) {
    launch(static_cast<std::uint64_t>(stream), static_cast<std::byte>(stream));
    holdings_->begin_epoch();
  }
  holdings_->begin_epoch();
  EXPECT_EQ(holdings_->take_unused(4096).size(), 2u);
  EXPECT_EQ(launch(2, std::byte{2}), 2);
  EXPECT_EQ(launch(1, std::byte{2}), 0);
}

TEST_F(StreamScratchTest, IsKeptWhileALaunchHasIt) {
  launch(1, std::byte{5});
  {
    const StreamScratch::Use use(scratch_, 1);
    for (int epoch = 0; epoch < 3; ++epoch) holdings_->begin_epoch();
    EXPECT_THAT(holdings_->take_unused(0), testing::IsEmpty());
    EXPECT_EQ(scratch_.bytes(), 4096u);
  }
  EXPECT_EQ(holdings_->take_unused(0).size(), 1u);
  EXPECT_EQ(scratch_.bytes(), 0u);
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
  EXPECT_EQ(scratch_.bytes(), 0u);
}

}  // namespace
}  // namespace attune
