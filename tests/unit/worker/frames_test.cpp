// Frames over a pair of sockets.
#include "worker/process/frames.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace attune {
namespace {

FrameClock::time_point in_seconds(double seconds) {
  return FrameClock::now() + std::chrono::duration_cast<FrameClock::duration>(std::chrono::duration<double>(seconds));
}

class Frames : public testing::Test {
 protected:
  void SetUp() override {
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    near_ = ends[0];
    far_ = ends[1];
  }
  void TearDown() override {
    close(near_);
    close_far();
  }
  void close_far() {
    if (far_ >= 0) close(far_);
    far_ = -1;
  }
  void send(const std::string& bytes) {
    ASSERT_EQ(write(far_, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  FrameEnd receive(double seconds = 5) { return read_frame(near_, message_, in_seconds(seconds)); }

  int near_ = -1, far_ = -1;
  std::vector<std::byte> message_;
};

std::string head(std::uint32_t length) {
  std::string bytes = "atwk";
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(length >> (8 * i));
  return bytes;
}

TEST_F(Frames, MessagesOfAnyLengthArriveInOrder) {
  for (const std::size_t length : {0u, 1u, 4096u, 3'000'001u}) {
    std::vector<std::byte> sent(length);
    for (std::size_t i = 0; i < length; ++i) sent[i] = static_cast<std::byte>(i * 7);
    std::thread writer([&] { EXPECT_EQ(write_frame(far_, sent, no_deadline), FrameEnd::whole); });
    EXPECT_EQ(receive(), FrameEnd::whole);
    writer.join();
    EXPECT_EQ(message_, sent);
  }
}

TEST_F(Frames, ArriveByteByByteToo) {
  std::thread writer([&] {
    for (const char byte : head(5) + "abcde") {
      EXPECT_EQ(write(far_, &byte, 1), 1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  EXPECT_EQ(receive(), FrameEnd::whole);
  writer.join();
  EXPECT_EQ(message_.size(), 5u);
}

TEST_F(Frames, WhatEndsEarlyIsClosedWhereverItEnds) {
  const std::string whole = head(5) + "abcde";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    TearDown();
    SetUp();
    send(whole.substr(0, length));
    close_far();
    EXPECT_EQ(receive(), FrameEnd::closed) << length;
  }
}

TEST_F(Frames, AnotherMarkIsDamage) {
  send("ATWX\x05\0\0\0abcde");
  send(std::string(8, 'x'));
  EXPECT_EQ(receive(), FrameEnd::damaged);
}

TEST_F(Frames, ALengthOverTheLimitIsDamageBeforeAnyMemoryIsTaken) {
  send(head(0xffffffffu));
  EXPECT_EQ(receive(), FrameEnd::damaged);
  EXPECT_LT(message_.capacity(), 1u << 20);
}

TEST_F(Frames, AnnouncedBytesThatDoNotComeTakeNoMemory) {
  send(head(1u << 30) + "abc");
  EXPECT_EQ(receive(0.05), FrameEnd::timed_out);
  EXPECT_LE(message_.capacity(), 4u << 20);
}

TEST_F(Frames, ReadingGivesUpAtTheDeadline) {
  const auto begin = FrameClock::now();
  EXPECT_EQ(receive(0.1), FrameEnd::timed_out);
  send(head(5) + "ab");
  EXPECT_EQ(receive(0.1), FrameEnd::timed_out);
  EXPECT_GE(FrameClock::now() - begin, std::chrono::milliseconds(190));
}

TEST_F(Frames, WritingGivesUpWhenNobodyReads) {
  fcntl(near_, F_SETFL, fcntl(near_, F_GETFL) | O_NONBLOCK);
  const std::vector<std::byte> large(8u << 20);
  EXPECT_EQ(write_frame(near_, large, in_seconds(0.1)), FrameEnd::timed_out);
}

TEST_F(Frames, WritingToNobodyIsClosed) {
  close_far();
  EXPECT_EQ(write_frame(near_, std::vector<std::byte>(100), no_deadline), FrameEnd::closed);
}

}  // namespace
}  // namespace attune
