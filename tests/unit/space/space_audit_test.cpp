#include "attune/space_audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "space/hitting_set.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Value> first_integers(int count) {
  std::vector<Value> values;
  for (int i = 0; i < count; ++i) values.emplace_back(i);
  return values;
}

void expect_removed(const Removed& removed, SpaceSize count, double fraction) {
  EXPECT_EQ(removed.certainty, Certainty::exact);
  ASSERT_TRUE(removed.count);
  EXPECT_EQ(*removed.count, count);
  EXPECT_DOUBLE_EQ(removed.fraction, fraction);
}

TEST(SpaceAudit, SaysWhatEachRuleRemovesAloneAndLast) {
  const SpaceAudit found = audit(SearchSpace({{"A", {0, 1, 2, 3}}, {"B", {0, 1}}, {"C", {5, 6}}}, {"A > 0", "A > B"}));
  EXPECT_EQ(found.cartesian, 16u);
  EXPECT_EQ(found.legal, 10u);
  EXPECT_FALSE(found.legal_saturated);
  EXPECT_THAT(found.left_out, IsEmpty());
  EXPECT_FALSE(found.core);
  ASSERT_EQ(found.rules.size(), 2u);
  EXPECT_EQ(found.rules[0].text, "A > 0");
  expect_removed(found.rules[0].alone, 4, 0.25);
  expect_removed(found.rules[0].last, 0, 0);
  EXPECT_EQ(found.rules[0].need, Need::follows);
  EXPECT_EQ(found.rules[0].follows_from, 1u);
  EXPECT_FALSE(found.rules[0].same);
  expect_removed(found.rules[1].alone, 6, 6.0 / 16);
  expect_removed(found.rules[1].last, 2, 2.0 / 12);
  EXPECT_EQ(found.rules[1].need, Need::needed);
  EXPECT_EQ(found.rules[1].follows_from, std::nullopt);
}

TEST(SpaceAudit, TellsRulesThatAlwaysHold) {
  const SpaceAudit found = audit(SearchSpace({{"A", {1, 2, 3}}}, {"A > 0", "1 == 1", "A < 3"}));
  EXPECT_EQ(found.rules[0].need, Need::always_holds);
  EXPECT_EQ(found.rules[1].need, Need::always_holds);
  EXPECT_EQ(found.rules[2].need, Need::needed);
  EXPECT_EQ(found.rules[0].follows_from, std::nullopt);
}

TEST(SpaceAudit, TellsRulesThatSayTheSame) {
  const SpaceAudit found = audit(SearchSpace({{"A", {1, 2, 3, 4}}, {"B", {1, 2}}}, {"A < 3", "B > 1", "!(A >= 3)"}));
  EXPECT_EQ(found.rules[0].need, Need::follows);
  EXPECT_EQ(found.rules[0].follows_from, 2u);
  EXPECT_TRUE(found.rules[0].same);
  EXPECT_EQ(found.rules[1].need, Need::needed);
  EXPECT_EQ(found.rules[2].follows_from, 0u);
  EXPECT_TRUE(found.rules[2].same);
}

TEST(SpaceAudit, TellsARuleThatFollowsFromSeveralOnly) {
  const SpaceAudit found =
      audit(SearchSpace({{"A", {1, 2, 3}}, {"B", {1, 2, 3}}, {"C", {1, 2, 3}}}, {"A < B", "B < C", "A < C"}));
  EXPECT_EQ(found.rules[2].need, Need::follows);
  EXPECT_EQ(found.rules[2].follows_from, std::nullopt);
  EXPECT_EQ(found.rules[0].need, Need::needed);
}

TEST(SpaceAudit, NamesValuesThatNeverOccurAndParametersThatCannotMatter) {
  const SpaceAudit found =
      audit(SearchSpace({{"A", {4, 3, 2, 1}}, {"B", {1, 2}}, {"C", {7}}, {"D", {1, 2}}}, {"A % 2 == 0", "A + B < 4"}));
  ASSERT_EQ(found.parameters.size(), 4u);
  EXPECT_THAT(found.parameters[0].never, ElementsAre(Value(4), Value(3), Value(1)));
  EXPECT_EQ(found.parameters[0].only, Value(2));
  EXPECT_TRUE(found.parameters[0].mentioned);
  EXPECT_THAT(found.parameters[1].never, ElementsAre(Value(2)));
  EXPECT_THAT(found.parameters[2].never, IsEmpty());
  EXPECT_EQ(found.parameters[2].only, Value(7));
  EXPECT_FALSE(found.parameters[2].mentioned);
  EXPECT_EQ(found.parameters[3].only, std::nullopt);
  EXPECT_FALSE(found.parameters[3].mentioned);
}

TEST(SpaceAudit, OfAnEmptySpaceNamesASmallestCore) {
  // Rules 0, 1 and 2 contradict one another, and so do 3 and 4; a search that drops the last first would keep three.
  const SearchSpace space({{"A", {1, 2, 3, 4}}, {"B", {1, 2, 3, 4}}, {"C", {1, 2}}},
                          {"A < B", "B < 3", "A > 1", "C == 1", "C == 2", "A + B < 9"});
  const SpaceAudit found = audit(space);
  EXPECT_EQ(found.legal, 0u);
  ASSERT_TRUE(found.core);
  EXPECT_THAT(found.core->rules, ElementsAre(3, 4));
  EXPECT_TRUE(found.core->smallest);
  EXPECT_EQ(found.rules[5].need, Need::always_holds);
  EXPECT_EQ(found.rules[3].need, Need::open);
  expect_removed(found.rules[3].last, 0, 0);
  for (const ParameterAudit& parameter : found.parameters) EXPECT_THAT(parameter.never, IsEmpty());
}

TEST(SpaceAudit, ACoreThatIsNotProvenSmallestSaysSo) {
  const SearchSpace space({{"A", {1, 2, 3, 4}}, {"B", {1, 2, 3, 4}}, {"C", {1, 2}}},
                          {"C == 1", "C == 2", "A < B", "B < 3", "A > 1"});
  const auto core = empty_core(space, 0);
  ASSERT_TRUE(core);
  EXPECT_TRUE(space.with_rules(core->rules).empty());
  EXPECT_FALSE(core->smallest && core->rules.size() > 2);
  EXPECT_FALSE(empty_core(SearchSpace({{"A", {1}}}, {"A == 1"})));
}

TEST(SpaceAudit, OfAProductBeyond128BitsStillSaysWhatRulesRemove) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < 50; ++i) parameters.push_back({"P" + std::to_string(i), first_integers(10)});
  const SpaceAudit found = audit(SearchSpace(parameters, {"P0 < 5", "P1 + P2 < 3"}));
  EXPECT_TRUE(found.legal_saturated);
  EXPECT_EQ(found.rules[0].alone.certainty, Certainty::exact);
  EXPECT_EQ(found.rules[0].alone.fraction, 0.5);
  EXPECT_EQ(found.rules[0].alone.count, std::nullopt);
  EXPECT_EQ(found.rules[1].alone.fraction, 0.94);
  EXPECT_EQ(found.rules[1].last.certainty, Certainty::estimated);
  EXPECT_NEAR(found.rules[1].last.fraction, 0.94, 0.01);
  EXPECT_EQ(found.rules[1].need, Need::needed);
}

// Eight parameters under a weighted sum modulo a prime: no diagram of it is small.
SearchSpace uncountable(const std::string& other) {
  std::vector<Parameter> parameters;
  std::string sum;
  for (int i = 0; i < 8; ++i) {
    parameters.push_back({"P" + std::to_string(i), first_integers(16)});
    sum += (i > 0 ? " + " : "(") + std::to_string(1009 * i * i + 77 * i + 13) + " * P" + std::to_string(i);
  }
  const std::vector<Rule> rules = {{Expression(sum + ") % 10007 < 5003"), false}, {Expression(other), true}};
  return SearchSpace::relaxed(parameters, rules, nullptr, nullptr, {.nodes = 2000, .bytes = 1 << 20, .steps = 1 << 16});
}

TEST(SpaceAudit, EstimatesWhatItCannotCount) {
  const SearchSpace space = uncountable("P0 < 4");
  ASSERT_THAT(space.left_out(), ElementsAre(0));
  const SpaceAudit found = audit(space);
  EXPECT_THAT(found.left_out, ElementsAre(0));
  EXPECT_EQ(found.legal, SpaceSize{4} << 28);
  EXPECT_EQ(found.rules[0].alone.certainty, Certainty::estimated);
  EXPECT_NEAR(found.rules[0].alone.fraction, 0.5, 0.02);
  EXPECT_EQ(found.rules[0].last.certainty, Certainty::estimated);
  EXPECT_NEAR(found.rules[0].last.fraction, 0.5, 0.02);
  EXPECT_EQ(found.rules[0].need, Need::needed);
  expect_removed(found.rules[1].alone, SpaceSize{12} << 28, 0.75);
  EXPECT_EQ(found.rules[1].last.certainty, Certainty::estimated);
  EXPECT_NEAR(found.rules[1].last.fraction, 0.75, 0.02);
  EXPECT_TRUE(found.rules[1].implied);
  EXPECT_THAT(found.parameters[0].never, testing::SizeIs(12));
}

TEST(SpaceAudit, AnEmptySpaceWithAnUncountableRuleHasACore) {
  const SearchSpace space = uncountable("P0 > 20");
  const auto core = empty_core(space);
  ASSERT_TRUE(core);
  EXPECT_THAT(core->rules, ElementsAre(1));
  EXPECT_TRUE(core->smallest);
}

// Random spaces against brute force: which combination breaks which rules, as bits.
class BruteForce {
 public:
  // `width`: the most operators on a rule's left side; 0 for clauses over two-valued parameters.
  BruteForce(std::uint64_t seed, int rule_count, int width) : random_(seed) {
    for (int i = 0; i < 4; ++i)
      parameters.push_back({"P" + std::to_string(i), first_integers(width == 0 ? 2 : 2 + pick(3))});
    for (int i = 0; i < rule_count; ++i) rules.push_back(rule(width));
    std::vector<Expression> parsed(rules.begin(), rules.end());
    Row row(parameters.size());
    for (bool more = true; more; more = advance(row)) {
      std::uint32_t broken = 0;
      Bindings configuration;
      for (std::size_t i = 0; i < row.size(); ++i) configuration.set(parameters[i].name, parameters[i].values[row[i]]);
      for (std::size_t i = 0; i < parsed.size(); ++i) {
        if (!parsed[i].holds({nullptr, &configuration, nullptr})) broken |= 1u << i;
      }
      broken_.push_back(broken);
      if (broken == 0) legal.push_back(row);
    }
  }

  std::vector<Parameter> parameters;
  std::vector<std::string> rules;
  std::vector<Row> legal;

  // Combinations that obey all rules of a set.
  std::size_t left_by(std::uint32_t rule_set) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(broken_, [&](std::uint32_t broken) { return (broken & rule_set) == 0; }));
  }
  std::uint32_t all_rules() const { return (1u << rules.size()) - 1; }
  std::size_t combinations() const { return broken_.size(); }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<std::uint64_t>(below)); }
  std::string name() { return "P" + std::to_string(pick(4)); }

  // Forbids few combinations, so that it takes several to leave nothing.
  std::string clause() {
    return name() + " != " + std::to_string(pick(2)) + " || " + name() + (pick(2) ? " != " : " == ") +
           std::to_string(pick(2));
  }

  std::string rule(int width) {
    if (width == 0) return clause();
    static constexpr const char* comparisons[] = {" == ", " != ", " < ", " <= ", " > "};
    static constexpr const char* operators[] = {" + ", " - ", " * ", " % "};
    std::string text = name();
    for (int i = pick(width + 1); i > 0; --i) text += operators[pick(4)] + name();
    return text + comparisons[pick(5)] + std::to_string(pick(4));
  }

  bool advance(Row& row) const {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (++row[i] < parameters[i].values.size()) return true;
      row[i] = 0;
    }
    return false;
  }

  std::mt19937_64 random_;
  std::vector<std::uint32_t> broken_;  // by combination
};

void expect_need(const RuleAudit& rule, std::size_t i, const BruteForce& expected) {
  const std::uint32_t all = expected.all_rules(), bit = 1u << i;
  if (expected.left_by(bit) == expected.combinations()) {
    EXPECT_EQ(rule.need, Need::always_holds);
  } else if (expected.left_by(all & ~bit) == 0) {
    EXPECT_EQ(rule.need, Need::open);
  } else {
    EXPECT_EQ(rule.need, expected.left_by(all & ~bit) == expected.left_by(all) ? Need::follows : Need::needed);
  }
  std::optional<std::size_t> source;
  for (std::size_t other = 0; other < expected.rules.size() && rule.need == Need::follows && !source; ++other) {
    if (other != i && expected.left_by(1u << other) == expected.left_by(1u << other | bit)) source = other;
  }
  EXPECT_EQ(rule.follows_from, source);
  EXPECT_EQ(rule.same, source && expected.left_by(1u << *source) == expected.left_by(bit));
}

TEST(SpaceAudit, AgreesWithBruteForce) {
  int following = 0, sources = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    const BruteForce expected(seed, 1 + static_cast<int>(seed % 6), 2);
    const SpaceAudit found = audit(SearchSpace(expected.parameters, expected.rules));
    const std::uint32_t all = expected.all_rules();
    ASSERT_EQ(found.cartesian, expected.combinations());
    ASSERT_EQ(found.legal, expected.left_by(all));
    for (std::size_t i = 0; i < found.rules.size(); ++i) {
      const RuleAudit& rule = found.rules[i];
      const std::size_t others = expected.left_by(all & ~(1u << i));
      const std::size_t alone = expected.combinations() - expected.left_by(1u << i);
      const std::size_t last = others - expected.left_by(all);
      expect_removed(rule.alone, alone, double(alone) / double(expected.combinations()));
      expect_removed(rule.last, last, others == 0 ? 0 : double(last) / double(others));
      expect_need(rule, i, expected);
      following += rule.need == Need::follows;
      sources += rule.follows_from.has_value();
    }
    for (std::size_t p = 0; p < found.parameters.size(); ++p) {
      std::vector<Value> never;
      for (std::uint16_t value = 0; value < expected.parameters[p].values.size() && !expected.legal.empty(); ++value) {
        if (std::ranges::none_of(expected.legal, [&](const Row& row) { return row[p] == value; }))
          never.push_back(expected.parameters[p].values[value]);
      }
      EXPECT_EQ(found.parameters[p].never, never);
    }
    EXPECT_EQ(found.core.has_value(), expected.legal.empty());
    empty += expected.legal.empty();
  }
  // All that is told apart occurs.
  EXPECT_GT(following, sources);
  EXPECT_GT(sources, 10);
  EXPECT_GT(empty, 10);
}

TEST(SpaceAudit, NoSmallerCoreIsFoundByTryingAllSubsets) {
  std::vector<int> sizes(10);
  int unsatisfiable = 0;
  for (std::uint64_t seed = 0; unsatisfiable < 120; ++seed) {
    SCOPED_TRACE(seed);
    const BruteForce expected(1000 + seed, 7 + static_cast<int>(seed % 4), static_cast<int>(seed % 2));
    const auto core = empty_core(SearchSpace(expected.parameters, expected.rules));
    ASSERT_EQ(core.has_value(), expected.legal.empty());
    if (!core) continue;
    ++unsatisfiable;
    int fewest = 32;
    for (std::uint32_t set = 1; set <= expected.all_rules(); ++set) {
      if (expected.left_by(set) == 0) fewest = std::min(fewest, std::popcount(set));
    }
    std::uint32_t set = 0;
    for (const std::size_t rule : core->rules) set |= 1u << rule;
    EXPECT_EQ(expected.left_by(set), 0u);
    EXPECT_EQ(core->rules.size(), static_cast<std::size_t>(fewest));
    EXPECT_TRUE(core->smallest);
    EXPECT_TRUE(std::ranges::is_sorted(core->rules));
    ++sizes[core->rules.size()];
  }
  // Smallest cores of several sizes occur.
  for (const int size : {1, 2, 3}) EXPECT_GT(sizes[static_cast<std::size_t>(size)], 5) << size;
  EXPECT_GT(sizes[4] + sizes[5] + sizes[6], 5);
}

TEST(HittingSet, IsSmallest) {
  std::uint64_t steps = 1000;
  EXPECT_THAT(*smallest_hitting_set({}, 3, steps), IsEmpty());
  EXPECT_THAT(*smallest_hitting_set({{1, 2}, {2, 3}, {3, 4}, {2, 5}}, 3, steps), ElementsAre(2, 3));
  EXPECT_EQ(smallest_hitting_set({{1}, {2}, {3}}, 2, steps), std::nullopt);
  EXPECT_EQ(smallest_hitting_set({{1}, {}}, 9, steps), std::nullopt);
  EXPECT_GT(steps, 0u);
  std::uint64_t few = 2;
  EXPECT_EQ(smallest_hitting_set({{1, 2}, {2, 3}, {1, 3}}, 3, few), std::nullopt);
  EXPECT_EQ(few, 0u);
}

}  // namespace
}  // namespace attune
