#include "worker/state_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "attune/error.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Instruments that tell what a test says, by the machine's clock or their own.
class Telling final : public Instruments {
 public:
  explicit Telling(bool own_clock) : own_clock_(own_clock) {}
  DeviceState state() override {
    ++asked;
    return tell ? tell(asked) : DeviceState{};
  }
  std::vector<std::string> other_users() override { return users; }
  bool has_own_clock() const noexcept override { return own_clock_; }
  double seconds() const override { return own_clock_ ? asked.load() : Instruments::seconds(); }

  std::function<DeviceState(int)> tell;
  std::vector<std::string> users;
  std::atomic<int> asked = 0;

 private:
  const bool own_clock_;
};

DeviceState at_clock(double mhz) {
  DeviceState state;
  state.sm_clock_mhz = mhz;
  return state;
}

void wait_until(const std::function<bool()>& is_so) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!is_so() && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_TRUE(is_so());
}

TEST(StateWatch, ReadsBesideWhateverTheDeviceDoes) {
  Telling instruments(false);
  instruments.tell = [](int n) { return at_clock(1000 + n); };
  StateWatch watch(instruments);
  wait_until([&] { return instruments.asked >= 4; });
  const DeviceReadings watched = watch.take();
  ASSERT_GE(watched.states.size(), 3u);
  EXPECT_EQ(watched.states[0].sm_clock_mhz, 1001);
  EXPECT_EQ(watched.states[2].sm_clock_mhz, 1003);
  const std::vector<double> last = watch.last_clocks(2);
  ASSERT_EQ(last.size(), 2u);
  EXPECT_EQ(last[1], last[0] + 1);
}

TEST(StateWatch, TellsEachReadingOnce) {
  Telling instruments(true);
  instruments.tell = [](int n) { return at_clock(n); };
  StateWatch watch(instruments);
  EXPECT_EQ(watch.take().states.size(), 1u);
  watch.follow_own_clock();
  const DeviceReadings watched = watch.take();
  ASSERT_EQ(watched.states.size(), 2u);
  EXPECT_EQ(watched.states[0].sm_clock_mhz, 2);
  EXPECT_THAT(watch.last_clocks(9), ElementsAre(1, 2, 3));
}

TEST(StateWatch, ADeviceThatTellsNothingHasNoStates) {
  Telling instruments(false);
  StateWatch watch(instruments);
  wait_until([&] { return instruments.asked >= 2; });
  EXPECT_THAT(watch.take().states, IsEmpty());
  EXPECT_THAT(watch.last_clocks(3), IsEmpty());
}

TEST(StateWatch, NamesOtherUsersOnceForEachTake) {
  Telling instruments(true);
  instruments.users = {"python3 (7)", "python3 (7)", "jupyter (9)"};
  StateWatch watch(instruments);
  EXPECT_THAT(watch.take().users, ElementsAre("python3 (7)", "jupyter (9)"));
  EXPECT_THAT(watch.take().users, IsEmpty()) << "processes are not asked for at each reading";
  for (int i = 0; i < 20; ++i) watch.follow_own_clock();
  EXPECT_THAT(watch.take().users, ElementsAre("python3 (7)", "jupyter (9)"));
}

TEST(StateWatch, KeepsTheEnergyCounterOnlyWhileItIsAskedFor) {
  Telling instruments(true);
  instruments.tell = [](int n) {
    DeviceState state;
    state.energy_j = 10 * n;
    return state;
  };
  StateWatch watch(instruments);
  watch.take();
  watch.meter_energy();
  watch.follow_own_clock();
  watch.follow_own_clock();
  const std::vector<CounterReading> energy = watch.take_energy();
  ASSERT_EQ(energy.size(), 2u);
  EXPECT_EQ(energy[0].joules, 20);
  EXPECT_EQ(energy[1].seconds, 3);
  watch.follow_own_clock();
  EXPECT_THAT(watch.take_energy(), IsEmpty());
}

TEST(StateWatch, WhatNobodyTakesDoesNotGrowForEver) {
  Telling instruments(true);
  instruments.tell = [](int n) { return at_clock(n); };
  StateWatch watch(instruments);
  for (int i = 0; i < 5000; ++i) watch.follow_own_clock();
  EXPECT_LE(watch.take().states.size(), 1000u);
}

TEST(StateWatch, ALibraryThatFailsEndsTheReadingsAndNothingElse) {
  Telling instruments(false);
  instruments.tell = [](int) -> DeviceState { throw Error("no NVML"); };
  {
    StateWatch watch(instruments);
    wait_until([&] { return instruments.asked >= 1; });
    EXPECT_THAT(watch.take().states, IsEmpty());
  }
  EXPECT_EQ(instruments.asked, 1);
}

}  // namespace
}  // namespace attune
