// What the stages of the construction owe each other, by spaces that once came out wrong or never.
#include <gtest/gtest.h>

#include <cmath>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "support/hard_spaces.hpp"

namespace attune {
namespace {

std::vector<Parameter> cube_and(std::initializer_list<Parameter> more) {
  std::vector<Parameter> all = {range_parameter("x", 1, 100), range_parameter("y", 1, 100),
                                range_parameter("z", 1, 100)};
  all.insert(all.end(), more);
  return all;
}

TEST(SearchSpaceStages, ALargeRuleWhoseParametersGetFixedIsSmallInTheEnd) {
  const SearchSpace space(
      cube_and({range_parameter("a", 1, 100), range_parameter("b", 1, 100), range_parameter("c", 1, 100),
                range_parameter("e", 1, 150)}),
      {"x == a", "y == b", "z == c", "a == 5 + 0 * e", "b == 5 + 0 * e", "c == 5 + 0 * e", "x * y * z < 1000"});
  EXPECT_EQ(to_text(space.size()), "150");
}

TEST(SearchSpaceStages, ALargeRuleThatKeepsOneOpenParameterStillCounts) {
  const SearchSpace space(cube_and({range_parameter("a", 1, 100), range_parameter("b", 1, 100),
                                    range_parameter("c", 1, 100), range_parameter("e", 1, 150)}),
                          {"x <= a", "y == b", "z == c", "b == 5 + 0 * e", "c == 5 + 0 * e", "x * y * z < 1000"});
  // x <= 39; a from x on; e is free.
  int pairs = 0;
  for (int x = 1; x <= 39; ++x) pairs += 100 - x + 1;
  EXPECT_EQ(to_text(space.size()), std::to_string(pairs * 150));
}

TEST(SearchSpaceStages, ManyRulesOverTheSamePairsAreOneTableEach) {
  std::vector<Parameter> parameters;
  std::vector<std::string> rules = {"P0 * P1 * P2 * P3 <= 20000"};
  for (int i = 0; i < 4; ++i) parameters.push_back(range_parameter("P" + std::to_string(i), 1, 30));
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < i; ++j) {
      for (int k = 0; k < 150; ++k)
        rules.push_back("P" + std::to_string(i) + " * 100 + P" + std::to_string(j) +
                        " != " + std::to_string(101 + 19 * k));
    }
  }
  const SearchSpace space(parameters, rules);
  long long legal = 0;
  const auto forbidden = [](int a, int b) {
    return (100 * a + b - 101) % 19 == 0 && (100 * a + b - 101) / 19 < 150 && 100 * a + b >= 101;
  };
  for (int a = 1; a <= 30; ++a)
    for (int b = 1; b <= 30; ++b)
      for (int c = 1; c <= 30; ++c)
        for (int d = 1; d <= 30; ++d)
          legal += a * b * c * d <= 20000 && !forbidden(b, a) && !forbidden(c, a) && !forbidden(c, b) &&
                   !forbidden(d, a) && !forbidden(d, b) && !forbidden(d, c);
  EXPECT_EQ(to_text(space.size()), std::to_string(legal));
}

TEST(SearchSpaceStages, SamplesAreUniformBeyondWhatADoubleCounts) {
  std::vector<Parameter> parameters;
  std::vector<std::string> rules;
  for (int i = 0; i < 400; ++i) {
    parameters.push_back(range_parameter("P" + std::to_string(i), 1, 10));
    if (i > 0) rules.push_back("P" + std::to_string(i - 1) + " != P" + std::to_string(i));
  }
  const SearchSpace space(parameters, rules);
  EXPECT_TRUE(space.size_saturated());
  std::mt19937_64 random(1);
  std::vector<int> first(10);
  Row row(400);
  for (int i = 0; i < 2000; ++i) {
    space.sample(random, row);
    ++first[row[0]];
  }
  for (const int count : first) EXPECT_NEAR(count, 200, 80);  // six standard deviations
}

TEST(SearchSpaceStages, AdjacentRowsAreDrawnUniformlyHoweverManyThereAre) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 100; ++i) parameters.push_back(range_parameter("P" + std::to_string(i), 1, 3));
  const SearchSpace space(parameters, std::vector<std::string>{});
  std::mt19937_64 random(1);
  std::vector<int> first(3);
  Row middle(100, 1), row(100);
  for (int i = 0; i < 3000; ++i) {
    ASSERT_TRUE(space.random_neighbour(middle, Neighbourhood::adjacent_all, random, row));
    ++first[row[0]];
  }
  for (const int count : first) EXPECT_NEAR(count, 1000, 160);
}

TEST(SearchSpaceStages, RefusesValuesThatAreNoNumbers) {
  EXPECT_THROW(SearchSpace({{"x", {1.0, INFINITY, 2.0}}}, {"x < 6.0"}), UsageError);
  EXPECT_THROW(SearchSpace({{"x", {1.0, std::nan(""), 2.0}}}, {"x < 6.0"}), UsageError);
}

TEST(SearchSpaceStages, ATermThatIsUsedTwiceInEachOfManyStepsIsReadOnce) {
  std::string power = "(x + y)", rest = "1";
  for (int i = 0; i < 12; ++i) power = "((" + power + " % 7) ** 4)";
  for (int i = 0; i < 26; ++i) rest = "(w % (w % (" + rest + " + 1) + 1))";
  const SearchSpace powers({range_parameter("x", 1, 200), range_parameter("y", 1, 200)}, {power + " >= 0"});
  EXPECT_EQ(to_text(powers.size()), "40000");
  EXPECT_EQ(
      to_text(SearchSpace({range_parameter("w", 1, 8), range_parameter("z", 1, 8)}, {"z + " + rest + " > 0"}).size()),
      "64");
}

}  // namespace
}  // namespace attune
