// The table of plans beside refresh(), trim(), warnings and forks, and for kernels that are out of the ordinary.
#include "plan_table_fixture.hpp"

namespace attune {
namespace {

using testing::HasSubstr;

TEST_F(PlanTable, RefreshIsNotUndoneByWhatBeganBeforeIt) {
  cache_default();
  remember(1000, 128);
  held_block = 128;
  EXPECT_EQ(launch(Policy::background), 64);
  reached.acquire();
  remember(1000, 256, 50);
  std::jthread refreshing([&] { gpu_->refresh(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  released.release();
  refreshing.join();
  gpu_->wait_for_background();
  EXPECT_EQ(launch(Policy::background), 256);
  EXPECT_EQ(planned(Policy::wait), "BLOCK=256");
}

TEST_F(PlanTable, RefreshKeepsNothingOfWhatItReplaces) {
  for (std::int64_t n = 1000; n < 1010; ++n) launch(Policy::wait, n);
  EXPECT_EQ(loaded, 1);
  for (int round = 0; round < 20; ++round) {
    const int block = round % 2 == 0 ? 128 : 256;
    for (std::int64_t n = 1000; n < 1010; ++n) remember(n, block, 10 + round);
    gpu_->refresh();
    EXPECT_EQ(launch(Policy::wait), block);
    EXPECT_EQ(loaded, 1) << "code that no plan has";
  }
}

TEST_F(PlanTable, RefreshKeepsPlansOfWisdomThatIsUnchanged) {
  remember(1000, 128);
  launch(Policy::wait);
  for (int i = 0; i < 10; ++i) gpu_->refresh();
  EXPECT_EQ(gpu_->statistics().swaps, 0u);
  remember(1000, 256, 50);
  gpu_->refresh();
  EXPECT_EQ(launch(Policy::wait), 256);
  EXPECT_EQ(gpu_->statistics().swaps, 1u);
}

TEST_F(PlanTable, AWarningMayWaitForTheBackground) {
  cache_default();
  remember(1000, 128);
  std::atomic<int> warnings = 0;
  warn_ = [&](const std::string&) {
    ++warnings;
    gpu_->wait_for_background();
  };
  has_compiler_failed = true;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(warnings, 1);
}

TEST_F(PlanTable, WhatAWarningThrowsIsLost) {
  cache_default();
  remember(1000, 128);
  std::atomic<int> warnings = 0;
  warn_ = [&](const std::string&) {
    ++warnings;
    throw std::runtime_error("not expected");
  };
  has_compiler_failed = true;
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();
  EXPECT_EQ(warnings, 1);
  remember(5000, 256);
  EXPECT_EQ(launch(Policy::wait, 5000), 64) << "on the caller's thread too";
  EXPECT_EQ(warnings, 2);
}

TEST_F(PlanTable, AForkedChildEndsItsDispatcher) {
  cache_default();
  remember(1000, 128);
  EXPECT_EQ(launch(Policy::background), 64);
  gpu_->wait_for_background();  // its thread is there
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    gpu_.reset();
    _exit(7);
  }
  int status = 0;
  for (int i = 0; i < 200 && waitpid(child, &status, WNOHANG) == 0; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << "it hangs";
  kill(child, SIGKILL);
}

// An image that is loaded or cached is ready for all who ask at once.
TEST_F(PlanTable, ManyAtOnceFindAnImageThatIsReady) {
  cache_default();
  std::atomic<int> failures = 0;
  std::vector<std::jthread> all;
  for (int t = 0; t < 4; ++t)
    all.emplace_back([&, t] {
      for (std::int64_t n = 1; n <= 500; ++n) {
        try {
          gpu_->plan("block", {{"n", 4 * n + t}}, Policy::cached_only);
        } catch (const NotPrepared&) {
          ++failures;
        }
      }
    });
  all.clear();
  EXPECT_EQ(failures, 0);
}

// The table grows beside plans that are replaced and dropped. The preset `tsan` watches it.
TEST_F(PlanTable, GrowsWhilePlansGo) {
  remember(1, 128);
  std::atomic<bool> is_over = false;
  std::jthread changing([&] {
    for (int round = 0; !is_over; ++round) {
      remember(1 + round % 50, round % 2 == 0 ? 128 : 256, 10 + round);
      gpu_->refresh();
      gpu_->trim();
    }
  });
  for (std::int64_t n = 1; n <= 400; ++n) launch(Policy::wait, n);
  is_over = true;
}

TEST_F(PlanTable, CachedOnlyDoesNotWaitForACompileAlsoWhereChoicesAreKept) {
  DispatcherOptions options{"host", database(), folder_ / "cache", {}};
  options.deterministic_only = true;
  std::string text(block_kernel.text);
  text.replace(text.find("name = \"block\""), 14, "name = \"block\"\ndeterministic = true");
  const KernelSpec spec = read_kernel_text(text, "block.cu");
  gpu_.emplace(options);
  gpu_->add(kernel_bundle(spec, "block.cu"));
  held_block = 64;
  std::jthread waiting([&] { planned(Policy::wait); });
  reached.acquire();
  EXPECT_THROW(planned(Policy::cached_only), NotPrepared);
  released.release();
  waiting.join();
  EXPECT_EQ(planned(Policy::cached_only), "BLOCK=64");
}

// They are planned and prepared as all others are.
TEST_F(PlanTable, AKernelMayHaveMoreNamesThanAKey) {
  std::string names, values;
  for (const char name : std::string_view("abcdefghi")) {
    names += fmt::format("{} = \"size\"\n", name);
    values += fmt::format("{}{}=1", values.empty() ? "" : " ", name);
  }
  std::string text(block_kernel.text);
  text.replace(text.find("n = \"size\"\n"), 11, "n = \"size\"\n" + names);
  text.replace(text.find("name = \"block\""), 14, "name = \"wide\"");
  const KernelSpec wide = read_kernel_text(text, "wide.cu");
  gpu_->add(kernel_bundle(wide, "wide.cu"));
  Problem problem{{"n", 10}};
  for (const char name : std::string_view("abcdefghi")) problem.set(std::string(1, name), 1);
  gpu_->prepare("wide", std::array{problem});
  EXPECT_EQ(plans(), 1u);
  EXPECT_EQ(gpu_->plan("wide", problem, Policy::cached_only).problem().text(), "n=10 " + values);
  problem.set("i", 2);
  gpu_->plan("wide", problem);
  EXPECT_EQ(plans(), 2u);
  EXPECT_EQ(gpu_->statistics().entries, 2u);
  EXPECT_THROW(gpu_->kernel("wide"), UsageError);
}

}  // namespace
}  // namespace attune
