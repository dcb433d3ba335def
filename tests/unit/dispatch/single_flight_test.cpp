#include "dispatch/single_flight.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace attune {
namespace {

TEST(SingleFlight, MakesAValueOnceForAllWhoAsk) {
  SingleFlight<std::string, int> flight;
  std::atomic<int> made = 0;
  std::barrier start(8);
  std::vector<int> got(8);
  {
    std::vector<std::jthread> threads;
    for (int& value : got) {
      threads.emplace_back([&] {
        start.arrive_and_wait();
        value = flight.get("key", [&] {
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return ++made;
        });
      });
    }
  }
  EXPECT_EQ(made, 1);
  EXPECT_EQ(got, std::vector<int>(8, 1));
}

TEST(SingleFlight, MakesDifferentKeysInParallel) {
  SingleFlight<int, int> flight;
  std::barrier both_inside(2);  // passed only when both makers run at once
  const auto make = [&] {
    both_inside.arrive_and_wait();
    return 1;
  };
  std::jthread other([&] { flight.get(1, make); });
  EXPECT_EQ(flight.get(2, make), 1);
}

TEST(SingleFlight, AFailureReachesTheCallerAndTheNextTriesAgain) {
  SingleFlight<int, int> flight;
  EXPECT_THROW(flight.get(1, []() -> int { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_EQ(flight.get(1, [] { return 5; }), 5);
  EXPECT_EQ(flight.get(1, [] { return 6; }), 5);
  flight.forget(1);
  EXPECT_EQ(flight.get(1, [] { return 6; }), 6);
}

TEST(SingleFlight, AFailureReachesThoseWhoWait) {
  SingleFlight<int, int> flight;
  std::barrier inside(2);
  std::jthread maker([&] {
    EXPECT_THROW(flight.get(1,
                            [&]() -> int {
                              inside.arrive_and_wait();
                              std::this_thread::sleep_for(std::chrono::milliseconds(300));
                              throw std::runtime_error("no");
                            }),
                 std::runtime_error);
  });
  inside.arrive_and_wait();
  EXPECT_THROW(flight.get(1, [] { return 2; }), std::runtime_error);
}

}  // namespace
}  // namespace attune
