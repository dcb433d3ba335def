// The thread for what need not be waited for.
#include "dispatch/background.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "attune/error.hpp"
#include "support/few_processes.hpp"

namespace attune {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Background, TakesNoJobWhereNoThreadCanBeStarted) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be a user without other processes";
  const std::string text = test::without_further_threads([] {
    Background background;
    try {
      background.add([] {});
    } catch (const Error& error) {
      background.wait();  // for nothing
      return std::string(error.what());
    }
    return std::string("taken");
  });
  EXPECT_THAT(text, AllOf(HasSubstr("cannot start a thread: "), HasSubstr("`ulimit -u`")));
}

TEST(Background, AnActionMayWaitForTheOthers) {
  Background background;
  std::atomic<bool> is_done = false;
  background.add([&] {
    background.wait();
    is_done = true;
  });
  background.wait();
  EXPECT_TRUE(is_done);
}

TEST(Background, TakesNoSignalsOfTheApplication) {
  Background background;
  sigset_t blocked;
  background.add([&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  background.wait();
  for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGALRM}) EXPECT_EQ(sigismember(&blocked, signal), 1) << signal;
  pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(sigismember(&blocked, SIGINT), 0) << "the application's own thread takes them";
}

}  // namespace
}  // namespace attune
