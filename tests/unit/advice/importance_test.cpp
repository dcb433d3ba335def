#include "advice/importance.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace attune {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;

using LogTime = std::function<double(const Configuration&)>;

std::int64_t number(const Configuration& configuration, const char* name) {
  return configuration.find(name)->integer();
}

Trial trial_of(const Configuration& configuration, const LogTime& log_time) {
  Trial trial;
  trial.configuration = configuration;
  trial.measurement.median_ns = std::exp(log_time(configuration));
  return trial;
}

std::vector<Trial> random_trials(const SearchSpace& space, std::size_t count, const LogTime& log_time) {
  SampleStream draws(space, 7);
  std::vector<Trial> trials;
  while (trials.size() < count) {
    const std::optional<Configuration> configuration = draws.next();
    if (!configuration) break;
    trials.push_back(trial_of(*configuration, log_time));
  }
  return trials;
}

Parameter counted(std::string name, std::int64_t last) {
  Parameter parameter{std::move(name), {}};
  for (std::int64_t i = 0; i <= last; ++i) parameter.values.emplace_back(i);
  return parameter;
}

const ParameterImportance& of(const Importance& importance, const std::string& name) {
  return *std::ranges::find(importance.parameters, name, &ParameterImportance::parameter);
}

TEST(Importance, SharesAreThoseOfTheVariance) {
  const SearchSpace space({counted("a", 3), counted("b", 3), counted("c", 3)}, std::vector<std::string>());
  // Variances of the three terms: 5, 1.25 and 0.
  const auto importance = importance_of(
      space, random_trials(space, 64, [](const Configuration& at) { return 2.0 * number(at, "a") + number(at, "b"); }));
  ASSERT_TRUE(importance);
  ASSERT_THAT(importance->parameters, SizeIs(3));
  EXPECT_EQ(importance->parameters.front().parameter, "a");
  EXPECT_THAT(of(*importance, "a").share, DoubleNear(0.8, 0.03));
  EXPECT_THAT(of(*importance, "b").share, DoubleNear(0.2, 0.03));
  EXPECT_THAT(of(*importance, "c").share, DoubleNear(0, 0.01));
  EXPECT_EQ(importance->trials, 64u);
  EXPECT_EQ(importance->sampled, 64u);
  EXPECT_GT(importance->explained, 0.9);
}

TEST(Importance, AnInteractionIsHalvedBetweenItsParameters) {
  const SearchSpace space({counted("a", 1), counted("b", 1), counted("c", 9)}, std::vector<std::string>());
  const auto importance = importance_of(space, random_trials(space, 40, [](const Configuration& at) {
                                          return number(at, "a") == number(at, "b") ? 1.0 : 0.0;
                                        }));
  ASSERT_TRUE(importance);
  EXPECT_THAT(of(*importance, "a").share, DoubleNear(0.5, 0.05));
  EXPECT_THAT(of(*importance, "b").share, DoubleNear(0.5, 0.05));
  EXPECT_THAT(of(*importance, "a").alone, DoubleNear(0, 0.05));
  EXPECT_THAT(of(*importance, "a").last, DoubleNear(1, 0.05));
}

// All else equal, neither of two tied parameters can change.
TEST(Importance, TiedParametersShareWhatBothTell) {
  const SearchSpace space({counted("a", 7), counted("b", 7), counted("c", 7)}, {"a == b"});
  const auto importance =
      importance_of(space, random_trials(space, 64, [](const Configuration& at) { return 1.0 * number(at, "a"); }));
  ASSERT_TRUE(importance);
  for (const char* const name : {"a", "b"}) {
    EXPECT_THAT(of(*importance, name).alone, DoubleNear(1, 0.02)) << name;
    EXPECT_THAT(of(*importance, name).last, DoubleNear(0, 0.02)) << name;
    EXPECT_THAT(of(*importance, name).share, DoubleNear(0.5, 0.02)) << name;
  }
}

// Of 100 trials, 90 have the best `a`, so among the trials `b` makes most of the variance.
TEST(Importance, TrialsThatCrowdInOneRegionDoNotMatter) {
  const SearchSpace space({counted("a", 9), counted("b", 19)}, std::vector<std::string>());
  const LogTime log_time = [](const Configuration& at) { return 1.0 * number(at, "a") + 0.1 * number(at, "b"); };
  std::vector<Trial> trials;
  std::size_t crowded = 0, others = 0;
  for (const Trial& trial : random_trials(space, 200, log_time)) {
    std::size_t& count = number(trial.configuration, "a") == 0 ? crowded : others;
    if (count < (&count == &crowded ? 20u : 10u)) {
      ++count;
      trials.push_back(trial);
    }
  }
  const auto importance = importance_of(space, trials);
  ASSERT_TRUE(importance);
  EXPECT_THAT(of(*importance, "a").share, DoubleNear(0.96, 0.05)) << "8.25 of 8.25 + 0.33";
  EXPECT_THAT(of(*importance, "a").counts.front(), Field(&ValueCount::trials, 20));
}

// 16, 32, 64, 128 and 256 are fast, the eleven multiples of 16 between them are slow.
TEST(Importance, PowersOfTwoAreToldFromOtherNumbers) {
  Parameter width{"width", {}};
  for (std::int64_t i = 1; i <= 16; ++i) width.values.emplace_back(16 * i);
  const SearchSpace space({width, counted("b", 9), counted("c", 9)}, std::vector<std::string>());
  const auto importance = importance_of(space, random_trials(space, 60, [](const Configuration& at) {
                                          const auto wide = static_cast<std::uint64_t>(number(at, "width"));
                                          return (wide & (wide - 1)) == 0 ? 0.0 : 2.0;
                                        }));
  ASSERT_TRUE(importance);
  EXPECT_GT(importance->explained, 0.9);
  EXPECT_GT(of(*importance, "width").share, 0.9);
}

TEST(Importance, FailedTrialsAndThoseOutsideTheSpaceOnlyCount) {
  const SearchSpace space({counted("a", 3), counted("b", 4), {"one", {Value(1)}}}, {"a < 3"});
  const LogTime log_time = [](const Configuration& at) { return 1.0 * number(at, "a"); };
  std::vector<Trial> trials = random_trials(space, 15, log_time);
  const auto clean = importance_of(space, trials);
  Trial failed = trials.front();
  failed.verdict = Verdict::launch_error;
  failed.measurement.median_ns = 0;
  Trial outside = trials.front();
  outside.configuration.set("a", std::int64_t{3});
  outside.measurement.median_ns = 1e9;
  trials.push_back(failed);
  trials.push_back(outside);
  const auto importance = importance_of(space, trials);
  ASSERT_TRUE(clean && importance);
  EXPECT_EQ(importance->trials, 15u);
  EXPECT_EQ(of(*importance, "a").share, of(*clean, "a").share);
  EXPECT_THAT(importance->parameters, Each(Field(&ParameterImportance::parameter, testing::Ne("one"))));
  std::vector<std::int64_t> tried, right;
  for (const ValueCount& count : of(*importance, "a").counts) {
    tried.push_back(count.trials);
    right.push_back(count.ok);
  }
  std::ranges::sort(tried);
  std::ranges::sort(right);
  EXPECT_THAT(tried, ElementsAre(5, 5, 6));
  EXPECT_THAT(right, ElementsAre(5, 5, 5));
}

TEST(Importance, TooFewOrEqualTimesHaveNone) {
  const SearchSpace space({counted("a", 9), counted("b", 9)}, std::vector<std::string>());
  const LogTime by_a = [](const Configuration& at) { return 1.0 * number(at, "a"); };
  EXPECT_FALSE(importance_of(space, std::vector<Trial>()));
  EXPECT_FALSE(importance_of(std::vector<Trial>()));
  EXPECT_FALSE(importance_of(space, random_trials(space, 9, by_a)));
  EXPECT_TRUE(importance_of(space, random_trials(space, 10, by_a)));
  EXPECT_FALSE(importance_of(space, random_trials(space, 30, [](const Configuration&) { return 1.0; })));
}

TEST(Importance, WithoutASpaceItIsThatOfTheValuesTried) {
  const SearchSpace space({counted("a", 4), counted("b", 4), {"c", {Value("row"), Value("column")}}},
                          std::vector<std::string>());
  const std::vector<Trial> trials = random_trials(space, 30, [](const Configuration& at) {
    return 2.0 * number(at, "a") + (at.find("c")->name() == "row" ? 1.0 : 0.0);
  });
  const auto known = importance_of(space, trials), unknown = importance_of(trials);
  ASSERT_TRUE(known && unknown);
  EXPECT_EQ(unknown->parameters.front().parameter, "a");
  EXPECT_THAT(of(*unknown, "a").share, DoubleNear(of(*known, "a").share, 0.02));
  const auto again = importance_of(trials);
  EXPECT_EQ(of(*again, "c").share, of(*unknown, "c").share) << "equal input, equal result";
}

}  // namespace
}  // namespace attune
