#include "device/cuda/reaper.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <future>

namespace attune::cuda {
namespace {

using namespace std::chrono_literals;

// Calls something when it is let go of.
template <typename Call>
std::unique_ptr<ReaperItem> parting(Call call) {
  return std::make_unique<ReaperItem>(std::shared_ptr<const void>(nullptr, [call](const void*) mutable { call(); }));
}

TEST(ReaperTest, LetsGoOnAThreadOfItsOwnInOrder) {
  Reaper reaper;
  reaper.start();
  reaper.start();
  std::vector<int> order;
  std::promise<std::thread::id> last;
  for (int i = 0; i < 100; ++i) reaper.take(parting([&order, i] { order.push_back(i); }));
  reaper.take(parting([&last] { last.set_value(std::this_thread::get_id()); }));
  EXPECT_NE(last.get_future().get(), std::this_thread::get_id());
  reaper.end();
  ASSERT_EQ(order.size(), 100u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ReaperTest, WaitsForNothingWhenItTakes) {
  Reaper reaper;
  reaper.start();
  std::promise<void> gate;
  reaper.take(parting([opened = gate.get_future().share()] { opened.wait(); }));
  int let_go = 0;
  for (int i = 0; i < 10; ++i) reaper.take(parting([&let_go] { ++let_go; }));
  gate.set_value();
  std::promise<void> all;
  reaper.take(parting([&all] { all.set_value(); }));
  all.get_future().wait();
  reaper.end();
  EXPECT_EQ(let_go, 10);
}

TEST(ReaperTest, EndsWithoutAThreadToo) {
  Reaper reaper;
  reaper.end();
  bool let_go = false;
  reaper.take(parting([&let_go] { let_go = true; }));
  reaper.start();
  EXPECT_FALSE(let_go) << "kept: the process is ending";
}

// Each runs in a process of its own, which ends with what is shown.
class ReaperDeathTest : public testing::Test {
 protected:
  void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(ReaperDeathTest, TheProcessEndsWhileObjectsWait) {
  EXPECT_EXIT(
      {
        Reaper::of_process().start();
        for (int i = 0; i < 1000; ++i) Reaper::of_process().take(parting([] { std::this_thread::sleep_for(10ms); }));
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(ReaperDeathTest, TheProcessEndsWhileAnObjectIsStuck) {
  EXPECT_EXIT(
      {
        Reaper::of_process().start();
        Reaper::of_process().take(parting([] { std::this_thread::sleep_for(1h); }));
        std::this_thread::sleep_for(50ms);
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

TEST_F(ReaperDeathTest, TheProcessEndsBeforeItsGraphs) {
  EXPECT_EXIT(
      {
        std::atexit([] { Reaper::of_process().take(parting([] { std::abort(); })); });  // runs last
        Reaper::of_process().start();
        std::exit(7);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace attune::cuda
