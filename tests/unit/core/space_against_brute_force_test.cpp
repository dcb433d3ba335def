// Random small spaces: the listed configurations are those that trying every combination finds, in the same order.
#include <gtest/gtest.h>

#include <algorithm>

#include "attune/search_space.hpp"

namespace attune {
namespace {

constexpr int spaces = 400;

class RandomSpace {
 public:
  explicit RandomSpace(std::uint64_t seed) : random_(seed) {
    const int count = 1 + pick(5);
    for (int i = 0; i < count; ++i) parameters.push_back({"P" + std::to_string(i), values()});
    for (int i = pick(4); i > 0; --i) rules.push_back(rule());
  }

  std::vector<Parameter> parameters;
  std::vector<std::string> rules;

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }

  std::vector<Value> values() {
    std::vector<Value> list;
    const int first = pick(6) - 1, step = 1 + pick(3);
    for (int i = 0, count = 1 + pick(5); i < count; ++i) list.emplace_back(first + i * step);
    std::shuffle(list.begin(), list.end(), random_);
    return list;
  }

  std::string name() { return "P" + std::to_string(pick(static_cast<int>(parameters.size()))); }

  // Divisions by zero, shifts by negative counts and the like are wanted.
  std::string term(int depth) {
    if (depth == 0) return pick(4) == 0 ? std::to_string(pick(9)) : name();
    static constexpr const char* operators[] = {" + ", " - ", " * ", " / ", " % ", " << ", " & ", " | ", " ** "};
    return "(" + term(depth - 1) + operators[pick(9)] + term(depth - 1) + ")";
  }

  std::string rule() {
    static constexpr const char* comparisons[] = {" == ", " != ", " < ", " <= ", " > "};
    const std::string comparison = term(pick(3)) + comparisons[pick(5)] + term(pick(2));
    switch (pick(6)) {
      case 0:
        return comparison + " || " + name() + " in [0, 2, 4]";
      case 1:
        return "not " + comparison;
      case 2:
        return name() + " ? " + comparison + " : " + term(1);
      case 3:
        return comparison + " && " + term(1);
      default:
        return comparison;
    }
  }

  std::mt19937_64 random_;
};

// Every combination, the last parameter varying fastest, kept where every rule holds.
std::vector<Configuration> brute_force(const RandomSpace& random) {
  std::vector<Expression> rules(random.rules.begin(), random.rules.end());
  std::vector<Configuration> all = {Configuration{}};
  for (const auto& parameter : random.parameters) {
    std::vector<Configuration> longer;
    for (const auto& shorter : all) {
      for (const auto& value : parameter.values) {
        longer.push_back(shorter);
        longer.back().set(parameter.name, value);
      }
    }
    all = std::move(longer);
  }
  std::erase_if(all, [&](const Configuration& configuration) {
    return !std::all_of(rules.begin(), rules.end(), [&](const Expression& rule) {
      return rule.holds({nullptr, &configuration, nullptr});
    });
  });
  return all;
}

TEST(SearchSpace, ListsWhatBruteForceFinds) {
  int empty = 0, whole = 0;
  for (int seed = 0; seed < spaces; ++seed) {
    const RandomSpace random(static_cast<std::uint64_t>(seed));
    const SearchSpace space(random.parameters, random.rules);
    const auto expected = brute_force(random);
    ASSERT_EQ(space.size(), expected.size()) << "seed " << seed;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(space.at(i), expected[i]) << "seed " << seed;
      ASSERT_EQ(space.index_of(expected[i]), SpaceSize{i}) << "seed " << seed;
      ASSERT_TRUE(space.broken_rules(expected[i]).empty());
    }
    empty += space.empty();
    whole += space.size() == space.cartesian_size();
  }
  // The spaces are neither all empty nor all whole.
  EXPECT_LT(empty, spaces / 2);
  EXPECT_LT(whole, spaces / 2);
}

TEST(SearchSpace, DoesNotDependOnTheOrderOfRules) {
  for (int seed = 0; seed < spaces; ++seed) {
    const RandomSpace random(static_cast<std::uint64_t>(seed));
    auto reversed = random.rules;
    std::reverse(reversed.begin(), reversed.end());
    const SearchSpace one(random.parameters, random.rules), other(random.parameters, reversed);
    ASSERT_EQ(one.size(), other.size()) << "seed " << seed;
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_EQ(one.at(i), other.at(i));
  }
}

TEST(SearchSpace, EffectsAreThoseOfBruteForce) {
  for (int seed = 0; seed < spaces / 4; ++seed) {
    const RandomSpace random(static_cast<std::uint64_t>(seed));
    const auto effects = SearchSpace(random.parameters, random.rules).effects();
    for (std::size_t rule = 0; rule < random.rules.size(); ++rule) {
      const SearchSpace alone(random.parameters, {random.rules[rule]});
      const double kept = static_cast<double>(alone.size()) / static_cast<double>(alone.cartesian_size());
      EXPECT_NEAR(effects[rule].removed_alone, 1 - kept, 1e-12) << random.rules[rule];
      EXPECT_TRUE(effects[rule].exact);
    }
  }
}

}  // namespace
}  // namespace attune
