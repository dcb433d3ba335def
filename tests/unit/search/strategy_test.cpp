#include "search/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "attune/error.hpp"

namespace attune {
namespace {

SearchSpace small_space() { return SearchSpace({{"A", {1, 2, 3, 4}}, {"B", {1, 2, 3}}}, {"A % B == 0"}); }

std::vector<std::string> proposals(Strategy& strategy) {
  std::vector<std::string> texts;
  while (const auto configuration = strategy.ask()) texts.push_back(configuration->text());
  return texts;
}

Trial trial_of(const Configuration& configuration) {
  Trial trial;
  trial.configuration = configuration;
  return trial;
}

TEST(Strategies, EachProposesEveryLegalConfigurationOnce) {
  const SearchSpace space = small_space();
  for (const StrategyEntry& entry : strategies()) {
    const auto strategy = entry.make(space, 7);
    const std::vector<std::string> texts = proposals(*strategy);
    EXPECT_EQ(texts.size(), static_cast<std::size_t>(space.size())) << entry.name;
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()).size(), texts.size()) << entry.name;
  }
}

TEST(Strategies, EachIsDeterministicBySeed) {
  const SearchSpace space = small_space();
  for (const StrategyEntry& entry : strategies())
    EXPECT_EQ(proposals(*entry.make(space, 7)), proposals(*entry.make(space, 7))) << entry.name;
}

TEST(Strategies, NoneProposesWhatItWasToldOf) {
  const SearchSpace space = small_space();
  const Configuration known = space.at(space.size() - 1);
  for (const StrategyEntry& entry : strategies()) {
    const auto strategy = entry.make(space, 7);
    strategy->tell(trial_of(known));
    EXPECT_THAT(proposals(*strategy), testing::Not(testing::Contains(known.text()))) << entry.name;
  }
}

TEST(Strategies, ExhaustiveFollowsTheIndexOrder) {
  const SearchSpace space = small_space();
  const auto strategy = strategy_named("exhaustive").make(space, 0);
  for (SpaceSize i = 0; i < space.size(); ++i) EXPECT_EQ(strategy->ask(), space.at(i));
}

TEST(Strategies, RandomIsUniform) {
  const SearchSpace space = small_space();
  std::map<std::string, int> first;
  constexpr int kSeeds = 8000;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    ++first[strategy_named("random").make(space, seed)->ask()->text()];
  const double expected = double(kSeeds) / double(space.size());
  double chi_square = 0;
  for (const auto& [text, count] : first) chi_square += (count - expected) * (count - expected) / expected;
  ASSERT_EQ(first.size(), static_cast<std::size_t>(space.size()));
  EXPECT_LT(chi_square, 26.1);  // 99.9 % point for 8 degrees of freedom; 9 legal configurations
}

// Rules that the budget does not reach are checked one configuration at a time.
TEST(Strategies, NoneProposesWhatARuleLeftOutForbids) {
  const std::vector<Value> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const std::vector<Parameter> parameters = {{"A", values}, {"B", values}, {"C", values}, {"D", values}, {"E", values}};
  const std::vector<Rule> rules = {{Expression("(37 * A + 91 * B * B + 53 * C * A + 31 * D * E) % 1009 < 40"), false},
                                   {Expression("A < 4"), false}};
  const SpaceBudget tiny = {.nodes = 30, .bytes = 1 << 16, .steps = 100};
  const SearchSpace space = SearchSpace::relaxed(parameters, rules, nullptr, nullptr, tiny);
  const SearchSpace whole(parameters, rules);
  ASSERT_FALSE(space.exact());
  ASSERT_TRUE(whole.exact());
  ASSERT_GT(space.size(), whole.size());
  std::set<std::string> legal;
  for (SpaceSize i = 0; i < whole.size(); ++i) legal.insert(whole.at(i).text());
  for (const StrategyEntry& entry : strategies()) {
    const std::vector<std::string> texts = proposals(*entry.make(space, 7));
    EXPECT_EQ(texts.size(), legal.size()) << entry.name;
    EXPECT_EQ(std::set<std::string>(texts.begin(), texts.end()), legal) << entry.name;
  }
}

TEST(Strategies, AMisspeltNameGetsTheNearestOne) {
  try {
    strategy_named("randon");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("random"));
  }
}

}  // namespace
}  // namespace attune
