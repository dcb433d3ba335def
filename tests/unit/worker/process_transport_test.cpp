// The coordinator's end of a worker's pipes, with a shell for a worker that says what a file holds.
#include "worker/process/process_transport.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/busy_machine.hpp"
#include "worker/messages/messages.hpp"
#include "worker/process/frames.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

class ProcessTransportTest : public testing::Test {
 protected:
  void SetUp() override { signal(SIGPIPE, SIG_IGN); }
  void TearDown() override { unlink(replies_.c_str()); }
  // So many whole replies, numbered from 1.
  void write_replies(int count) {
    const int file = open(replies_.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
    for (int i = 1; i <= count; ++i) {
      Reply reply{0, 0, BeginAnswer{static_cast<std::uint64_t>(i)}};
      ASSERT_EQ(write_frame(file, encode(reply), no_deadline), FrameEnd::whole);
    }
    close(file);
  }
  ProcessTransport worker(const std::string& script) {
    return ProcessTransport({{"/bin/sh", "-c", script}, "device worker"});
  }
  static int number_of(const Receipt& received) {
    return static_cast<int>(std::get<BeginAnswer>(received.reply.answer).free_bytes);
  }

  const std::string replies_ = testing::TempDir() + "process_transport_" + std::to_string(getpid()) + ".replies";
};

TEST_F(ProcessTransportTest, WhatWasAnsweredBeforeADeathIsReceived) {
  write_replies(2);
  ProcessTransport transport = worker("cat '" + replies_ + "'; exit 3");
  for (int i = 0; i < 4; ++i) {
    transport.send(OpenDevice{}, 10);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));  // by the second the worker is no more
  }
  for (int i = 1; i <= 2; ++i) {
    const Receipt received = transport.receive(10);
    ASSERT_EQ(received.end, Receipt::End::replied) << i << ": " << received.why;
    EXPECT_EQ(number_of(received), i);
  }
  const Receipt received = transport.receive(10);
  EXPECT_EQ(received.end, Receipt::End::died);
  EXPECT_THAT(received.why, HasSubstr("exited with code 3"));
  EXPECT_EQ(transport.receive(10).end, Receipt::End::died) << "with all its jobs";
  transport.send(OpenDevice{}, 10);  // to a fresh one
  EXPECT_EQ(number_of(transport.receive(10)), 1);
}

TEST_F(ProcessTransportTest, OneThatStopsReadingAndStaysIsKilledByTheDeadline) {
  ProcessTransport transport = worker("exec <&-; sleep 60");
  transport.send(OpenDevice{}, 0.3);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  transport.send(OpenDevice{}, 0.3);
  EXPECT_EQ(transport.receive(0.3).end, Receipt::End::timed_out);
  EXPECT_EQ(transport.receive(0.3).end, Receipt::End::died);
}

TEST_F(ProcessTransportTest, OneThatWaitsForAProcessorIsNotLate) {
  const test::BusyMachine busy;
  write_replies(1);
  ProcessTransport transport =
      worker("i=0; while [ $i -lt 250000 ]; do i=$((i + 1)); done; cat '" + replies_ + "'; sleep 60");
  transport.send(OpenDevice{}, 10);
  const Receipt received = transport.receive({1, true});
  ASSERT_EQ(received.end, Receipt::End::replied) << received.why;
  EXPECT_EQ(number_of(received), 1);
  EXPECT_EQ(transport.receive({0.3, true}).end, Receipt::End::timed_out) << "it sleeps";
}

TEST_F(ProcessTransportTest, AnotherThreadInterruptsOneThatIsAtAJob) {
  ProcessTransport transport = worker("exec sleep 60");
  transport.interrupt();  // where there is none
  transport.send(OpenDevice{}, 10);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    transport.interrupt();
  });
  const Receipt received = transport.receive(50);
  other.join();
  EXPECT_EQ(received.end, Receipt::End::died);
  EXPECT_THAT(received.why, HasSubstr("signal 9"));
}

}  // namespace
}  // namespace attune
