// Work of attune-score, spread over threads.
#include "apps/score/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace attune::cli {
namespace {

TEST(ForEachIndex, DoesEachOnce) {
  for (const std::size_t threads : {0, 1, 3, 50}) {
    std::vector<std::atomic<int>> done(20);
    for_each_index(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 1) << threads;
  }
  for_each_index(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ForEachIndex, RethrowsWhatWentWrong) {
  EXPECT_THROW(for_each_index(10, 3, [](std::size_t i) { i == 7 ? throw std::runtime_error("7") : void(); }),
               std::runtime_error);
}

#ifndef __SANITIZE_ADDRESS__  // its shadow memory is beyond any limit
// Stacks of 1024 threads do not fit: those that do, do the work.
void work_in_little_memory() {
  const rlimit limit{std::size_t{600} << 20, std::size_t{600} << 20};
  setrlimit(RLIMIT_AS, &limit);
  std::atomic<std::size_t> done = 0;
  for_each_index(5000, 1024, [&](std::size_t) { ++done; });
  _exit(done == 5000 ? 0 : 1);
}

TEST(ForEachIndex, GoesOnWithTheThreadsThatTheSystemGives) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(work_in_little_memory(), testing::ExitedWithCode(0), "");
}
#endif

}  // namespace
}  // namespace attune::cli
