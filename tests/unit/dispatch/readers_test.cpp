// Launches that read what another thread drops. The preset `tsan` watches them.
#include "dispatch/readers.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/membarrier.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace attune {
namespace {

constexpr auto longest = std::chrono::seconds(60), most_of_a_test = std::chrono::seconds(2);

bool ends(GracePeriod& grace) {
  const auto begin = std::chrono::steady_clock::now();
  while (!grace.is_over() && std::chrono::steady_clock::now() < begin + longest) std::this_thread::yield();
  return grace.is_over();
}

class Readers : public testing::Test {
 protected:
  void SetUp() override {
    if (!GracePeriod::can_end()) GTEST_SKIP() << "this kernel has no membarrier(2)";
  }
};

TEST_F(Readers, AGracePeriodLastsAsLongAsALaunchThatBeganBefore) {
  auto launch = std::make_unique<LaunchSection>();
  GracePeriod during;
  EXPECT_FALSE(during.is_over());
  launch.reset();
  EXPECT_TRUE(during.is_over());
  GracePeriod between;
  const LaunchSection later;
  EXPECT_TRUE(between.is_over()) << "a launch that began later finds nothing that was dropped";
}

TEST_F(Readers, ALaunchInsideALaunchIsPartOfIt) {
  auto outer = std::make_unique<LaunchSection>();
  { const LaunchSection inner; }
  GracePeriod grace;
  EXPECT_FALSE(grace.is_over());
  outer.reset();
  EXPECT_TRUE(grace.is_over());
}

TEST_F(Readers, AThreadThatEndedIsNotWaitedFor) {
  for (int i = 0; i < 100; ++i) std::thread([] { const LaunchSection launch; }).join();
  EXPECT_TRUE(GracePeriod().is_over());
}

// Returns whether membarrier(2) of this thread alone has no memory from now on.
bool lacks_memory_for_barriers() {
  sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
                           BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog filter{std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
         syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0;
}

TEST_F(Readers, AGracePeriodThatLackedMemoryAtItsBeginningEndsToo) {
  std::optional<GracePeriod> grace;
  bool is_possible = false, was_over = true;
  std::thread([&] {
    is_possible = lacks_memory_for_barriers();
    grace.emplace();
    was_over = grace->is_over();
  }).join();
  if (!is_possible) GTEST_SKIP() << "no system call can be made to fail here";
  EXPECT_FALSE(was_over);
  auto launch = std::make_unique<LaunchSection>();
  EXPECT_FALSE(grace->is_over()) << "a launch that the missing barrier may have hidden";
  launch.reset();
  EXPECT_TRUE(grace->is_over());
}

// What is published is freed as soon as a grace period allows it.
TEST_F(Readers, NoneReadsWhatIsFreed) {
  struct Published {
    explicit Published(int of) : number(of) {}
    ~Published() { number = -1; }
    volatile int number;
  };
  std::atomic<const Published*> present{nullptr};
  std::atomic<bool> is_over{false};
  std::atomic<long> reads{0}, dead{0};
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < 3; ++t)
      all.emplace_back([&] {
        long own = 0;
        while (!is_over.load(std::memory_order_relaxed)) {
          const LaunchSection launch;
          const Published* const found = present.load(std::memory_order_acquire);
          if (found == nullptr) continue;
          ++own;
          if (found->number < 0) ++dead;
        }
        reads += own;
      });
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 3000 && (i < 20 || std::chrono::steady_clock::now() < begin + most_of_a_test); ++i) {
      auto next = std::make_unique<Published>(i);
      present.store(next.get(), std::memory_order_release);
      std::this_thread::yield();
      present.store(nullptr, std::memory_order_relaxed);
      GracePeriod grace;
      EXPECT_TRUE(ends(grace));
    }
    is_over = true;
  }
  EXPECT_EQ(dead, 0);
  EXPECT_GT(reads, 0);
}

}  // namespace
}  // namespace attune
