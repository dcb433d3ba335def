// What a process has beside its memory, and how a change of it is told.
#include "worker/process/worker_state.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace attune {
namespace {

using testing::HasSubstr;

TEST(WorkerState, OfOneProcessIsTheSameTwice) { EXPECT_EQ(changes(worker_state(), worker_state()), ""); }

TEST(WorkerState, TellsDescriptorsThatCameWentOrAreOfAnotherFile) {
  const WorkerState before = worker_state();
  const int first = open("/dev/null", O_RDONLY | O_CLOEXEC), second = open("/dev/zero", O_RDONLY | O_CLOEXEC);
  const WorkerState more = worker_state();
  EXPECT_EQ(changes(before, more),
            "descriptor " + std::to_string(first) + " left open, descriptor " + std::to_string(second) + " left open");
  EXPECT_EQ(changes(more, before),
            "descriptor " + std::to_string(first) + " closed, descriptor " + std::to_string(second) + " closed");
  dup2(second, first);
  EXPECT_EQ(changes(more, worker_state()), "descriptor " + std::to_string(first) + " replaced");
  std::vector<int> many;
  for (int i = 0; i < 9; ++i) many.push_back(dup(first));
  EXPECT_THAT(changes(more, worker_state()), HasSubstr("9 descriptors left open, the first is "));
  for (const int number : many) close(number);
  close(first);
  close(second);
  EXPECT_EQ(changes(before, worker_state()), "");
}

TEST(WorkerState, TellsSignalsThatAreBlockedOrHandled) {
  const WorkerState before = worker_state();
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
  const auto former = signal(SIGUSR1, SIG_IGN);
  EXPECT_EQ(changes(before, worker_state()), "the handler of signal 10 set, signal 12 blocked");
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  signal(SIGUSR1, former);
}

// What cannot be answered after a change is the fault of what changed it, not of the environment.
TEST(WorkerState, IsWatchedOverTheJobsThatLaunch) {
  const mode_t mask = umask(022);
  int jobs = 0;
  const auto answer = watching_this_process([&](const Job&) {
    umask(++jobs % 2 == 0 ? 022 : 027);
    return Reply{.answer = Failure{Failure::Kind::error, "no room", Verdict::ok}};
  });
  const Reply release = answer(Release{1}), tried = answer(Try{}), again = answer(CheckAgain{1, false});
  umask(mask);
  EXPECT_EQ(release.changed, "");
  EXPECT_TRUE(std::holds_alternative<Failure>(release.answer));
  EXPECT_EQ(tried.changed, "umask 022");
  ASSERT_TRUE(std::holds_alternative<TryAnswer>(tried.answer));
  EXPECT_EQ(std::get<TryAnswer>(tried.answer).status.verdict, Verdict::fault);
  EXPECT_EQ(std::get<TryAnswer>(tried.answer).status.detail, "umask 022, and then: no room");
  EXPECT_EQ(again.changed, "umask 027");
}

}  // namespace
}  // namespace attune
