#include "device/host/timing_gate.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <vector>

namespace attune {
namespace {

using namespace std::chrono_literals;

TEST(TimingGate, LetsCompilesRunTogetherAndASampleAlone) {
  std::atomic<int> compiling{0}, timing{0}, most_compiling{0};
  std::atomic<bool> overlapped{false}, stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) {
        const CompilingNow turn;
        const int now = ++compiling;
        if (now > most_compiling) most_compiling = now;
        if (timing > 0) overlapped = true;
        std::this_thread::sleep_for(2ms);
        --compiling;
      }
    });
  }
  // A stream of compiles without a gap between them, yet each sample gets its turn.
  for (int i = 0; i < 20; ++i) {
    const TimingNow turn;
    ++timing;
    if (compiling > 0) overlapped = true;
    std::this_thread::sleep_for(1ms);
    --timing;
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(overlapped);
  EXPECT_GT(most_compiling, 1);
}

}  // namespace
}  // namespace attune
