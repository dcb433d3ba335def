// One plan, launched by several threads at once, with arguments of their own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <numeric>
#include <thread>

#include "dispatch_fixture.hpp"
#include "support/partials_kernel.hpp"
#include "support/tiles_kernel.hpp"
#include "support/variable_kernel.hpp"

namespace attune {
namespace {

constexpr int threads = 8, n = 64;

class SharedPlan : public DispatchTest {
 protected:
  // Runs `work(thread)` on all threads at once.
  template <typename Work>
  static void on_all(const Work& work) {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t) all.emplace_back([&work, t] { work(t); });
  }
  void add(const char* name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path) << text;
    gpu_.add(kernel_file(path));
  }
  Dispatcher gpu_{options()};
  std::vector<int> wrong_ = std::vector<int>(threads);
};

TEST_F(SharedPlan, TakesOtherArgumentsOnEachThread) {
  gpu_.add(builtin::axpy);
  const Plan plan = gpu_.plan("axpy", {{"n", n}, {"T", "float"}});
  on_all([&](int t) {
    const Buffer<float> x(gpu_, std::vector<float>(n, 1.f)), y(gpu_, std::vector<float>(n, 0.f));
    for (int launch = 1; launch <= 300; ++launch) {
      plan.launch(nullptr, y, x, t + 1, n);
      wrong_[static_cast<std::size_t>(t)] += y.data()[launch % n] != static_cast<float>(launch * (t + 1));
    }
  });
  EXPECT_THAT(wrong_, testing::Each(0));
}

// Its kernel counts launches in scratch memory. All threads are on one stream there, so each number comes once.
TEST_F(SharedPlan, DoesNotMixTheStepsOfTwoLaunches) {
  gpu_.add(kernel_of(offset_kernel));
  const Plan plan = gpu_.plan("offset", {{"n", n}});
  constexpr int launches = 50;
  std::vector<std::vector<int>> counted(threads);
  on_all([&](int t) {
    const Buffer<int> data(gpu_, std::vector<int>(n, 0)), count(gpu_, 2);
    for (int launch = 0; launch < launches; ++launch) {
      plan.launch(nullptr, data, count, n);
      counted[static_cast<std::size_t>(t)].push_back(count.data()[0]);
    }
  });
  std::vector<int> all, expected(threads * launches);
  for (const auto& of_thread : counted) all.insert(all.end(), of_thread.begin(), of_thread.end());
  std::iota(expected.begin(), expected.end(), 1);
  EXPECT_THAT(all, testing::UnorderedElementsAreArray(expected));
}

TEST_F(SharedPlan, KeepsTheScratchOfALaunchFromTheOthers) {
  gpu_.add(kernel_of(test::partials_kernel));
  const Plan plan = gpu_.plan("partials", {{"n", 1000}});
  on_all([&](int t) {
    const Buffer<int> in(gpu_, std::vector<int>(1000, t + 1)), out(gpu_, 2);
    for (int launch = 0; launch < 50; ++launch) {
      plan.launch(nullptr, out, in, 1000);
      wrong_[static_cast<std::size_t>(t)] += out.data()[0] != 1000 * (t + 1);
    }
  });
  EXPECT_THAT(wrong_, testing::Each(0));
}

// More arrays than there is room for encoded maps.
TEST_F(SharedPlan, EncodesTheMapsOfEachThreadsArrays) {
  add("tiles.cu", test::tiles_file());
  const Plan plan = gpu_.plan("tiles");
  constexpr int width = 100, height = 48;
  on_all([&](int t) {
    const std::vector<float> one(width * height, static_cast<float>(t)), two(width * height, static_cast<float>(-t));
    const Buffer<float> out(gpu_, width * height), in(gpu_, one), other(gpu_, two);
    for (int launch = 0; launch < 20; ++launch) {
      plan.launch(nullptr, out, launch % 2 == 0 ? in : other, width, height);
      wrong_[static_cast<std::size_t>(t)] += out.to_vector() != (launch % 2 == 0 ? one : two);
    }
  });
  EXPECT_THAT(wrong_, testing::Each(0));
  EXPECT_EQ(plan.misaligned_launches(), 0u);
}

TEST_F(SharedPlan, CountsTheMisalignedLaunchesOfAllThreads) {
  add("tiles.cu", test::tiles_file());
  const Plan plan = gpu_.plan("tiles");
  on_all([&](int) {
    const Buffer<float> out(gpu_, 4800), in(gpu_, std::vector<float>(4801, 1.f));
    for (int launch = 0; launch < 10; ++launch) plan.launch(nullptr, out, in.data() + 1, 100, 48);
  });
  EXPECT_EQ(plan.misaligned_launches(), 80u);
  EXPECT_EQ(warnings_.size(), 1u);
}

// The variable of the plan's module is set before the steps of each launch, and by no other until these are done.
TEST_F(SharedPlan, SetsItsVariablesForEachLaunch) {
  add("variable.cu", test::variable_file);
  const Plan plan = gpu_.plan("variable");
  std::vector<Buffer<int>> numbers;  // each at an address of its own while all threads run
  for (int t = 0; t < threads; ++t) numbers.emplace_back(gpu_, std::vector<int>{t + 1});
  on_all([&](int t) {
    const Buffer<int> data(gpu_, std::vector<int>(100, 0)), &plus = numbers[static_cast<std::size_t>(t)];
    for (int launch = 1; launch <= 50; ++launch) {
      plan.launch(nullptr, data, plus, 100);
      wrong_[static_cast<std::size_t>(t)] += data.data()[launch] != launch * (t + 1);
    }
  });
  EXPECT_THAT(wrong_, testing::Each(0));
}

}  // namespace
}  // namespace attune
