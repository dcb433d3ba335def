#include "attune/space_audit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "support/hard_spaces.hpp"
#include "unit/space/reference_space.hpp"

namespace attune {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

void expect_removed(const Removed& removed, SpaceSize count, double fraction) {
  EXPECT_EQ(removed.certainty, Certainty::exact);
  ASSERT_TRUE(removed.count);
  EXPECT_EQ(*removed.count, count);
  EXPECT_DOUBLE_EQ(removed.fraction, fraction);
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
  const SpaceAudit found = audit(SearchSpace(range_parameters(50, 0, 9), {"P0 < 5", "P1 + P2 < 3"}));
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
  std::string sum;
  for (int i = 0; i < 8; ++i)
    sum += (i > 0 ? " + " : "(") + std::to_string(1009 * i * i + 77 * i + 13) + " * P" + std::to_string(i);
  const std::vector<Rule> rules = {{Expression(sum + ") % 10007 < 5003"), false}, {Expression(other), true}};
  return SearchSpace::relaxed(range_parameters(8, 0, 15), rules, nullptr, nullptr,
                              {.nodes = 2000, .bytes = 1 << 20, .steps = 1 << 16});
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

// A random space whose combinations have all been tried; sets of its rules are bits.
struct TryAnswer {
  explicit TryAnswer(RandomSpace made) : random(std::move(made)), reference(random) {}

  // Combinations that obey all rules of a set.
  std::size_t left_by(std::uint32_t rule_set) const {
    std::size_t left = 0;
    for (std::size_t at = 0; at < combinations(); ++at) {
      bool obeys = true;
      for (std::size_t i = 0; i < random.rules.size(); ++i)
        obeys = obeys && (!(rule_set >> i & 1) || reference.holds[i][at]);
      left += obeys;
    }
    return left;
  }
  std::uint32_t all_rules() const { return (1u << random.rules.size()) - 1; }
  std::size_t combinations() const { return reference.combinations.size(); }

  RandomSpace random;
  ReferenceSpace reference;
};

void expect_need(const RuleAudit& rule, std::size_t i, const TryAnswer& tried) {
  const std::uint32_t all = tried.all_rules(), bit = 1u << i;
  if (tried.left_by(bit) == tried.combinations()) {
    EXPECT_EQ(rule.need, Need::always_holds);
  } else if (tried.left_by(all & ~bit) == 0) {
    EXPECT_EQ(rule.need, Need::open);
  } else {
    EXPECT_EQ(rule.need, tried.left_by(all & ~bit) == tried.left_by(all) ? Need::follows : Need::needed);
  }
  std::optional<std::size_t> source;
  for (std::size_t other = 0; other < tried.random.rules.size() && rule.need == Need::follows && !source; ++other) {
    if (other != i && tried.left_by(1u << other) == tried.left_by(1u << other | bit)) source = other;
  }
  EXPECT_EQ(rule.follows_from, source);
  EXPECT_EQ(rule.same, source && tried.left_by(1u << *source) == tried.left_by(bit));
}

TEST(SpaceAudit, AgreesWithTryingEveryCombination) {
  int following = 0, sources = 0, same = 0, empty = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const TryAnswer tried(RandomSpace(seed, {.most_parameters = 4, .most_values = 4, .most_rules = 6}));
    SCOPED_TRACE(tried.random.text());
    const SpaceAudit found = audit(tried.random.space());
    const std::uint32_t all = tried.all_rules();
    ASSERT_EQ(found.cartesian, tried.combinations());
    ASSERT_EQ(found.legal, tried.left_by(all));
    EXPECT_FALSE(found.legal_saturated);
    EXPECT_THAT(found.left_out, IsEmpty());
    ASSERT_EQ(found.rules.size(), tried.random.rules.size());
    for (std::size_t i = 0; i < found.rules.size(); ++i) {
      const RuleAudit& rule = found.rules[i];
      const std::size_t others = tried.left_by(all & ~(1u << i));
      const std::size_t alone = tried.combinations() - tried.left_by(1u << i);
      const std::size_t last = others - tried.left_by(all);
      EXPECT_EQ(rule.text, tried.random.rules[i].expression.text());
      expect_removed(rule.alone, alone, double(alone) / double(tried.combinations()));
      expect_removed(rule.last, last, others == 0 ? 0 : double(last) / double(others));
      expect_need(rule, i, tried);
      following += rule.need == Need::follows;
      sources += rule.follows_from.has_value();
      same += rule.same;
    }
    for (std::size_t p = 0; p < found.parameters.size(); ++p) {
      const auto& values = tried.random.parameters[p].values;
      const auto occurring = tried.reference.occurring(p);
      std::vector<Value> never;
      for (std::uint16_t at = 0; at < values.size() && !occurring.empty(); ++at)
        if (!std::ranges::binary_search(occurring, at)) never.push_back(values[at]);
      EXPECT_EQ(found.parameters[p].never, never);
    }
    EXPECT_EQ(found.core.has_value(), tried.reference.rows.empty());
    empty += tried.reference.rows.empty();
  }
  // All that is told apart occurs.
  EXPECT_GT(following, sources);
  EXPECT_GT(sources, same);
  EXPECT_GT(same, 10);
  EXPECT_GT(empty, 10);
}

// Clauses over parameters of two values. Each forbids few combinations, so that it takes several to leave nothing.
RandomSpace clauses(std::uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  const auto pick = [&](int below) { return std::to_string(random() % static_cast<std::uint64_t>(below)); };
  RandomSpace space(seed);
  space.parameters = range_parameters(4, 0, 1);
  space.rules.clear();
  for (int i = 0; i < count; ++i) {
    const std::string first = "P" + pick(4) + " != " + pick(2), comparison = pick(2) == "0" ? " == " : " != ";
    space.rules.push_back({Expression(first + " || P" + pick(4) + comparison + pick(2)), false});
  }
  return space;
}

TEST(SpaceAudit, NoSmallerCoreIsFoundByTryingAllSubsets) {
  std::vector<int> sizes(10);
  int unsatisfiable = 0;
  for (std::uint64_t seed = 0; unsatisfiable < 120; ++seed) {
    const int count = 7 + static_cast<int>(seed % 4);
    const TryAnswer tried(seed % 2 == 0 ? clauses(seed, count)
                                        : RandomSpace(seed, {.most_parameters = 4, .most_rules = 8}));
    SCOPED_TRACE(tried.random.text());
    const auto core = empty_core(tried.random.space());
    ASSERT_EQ(core.has_value(), tried.reference.rows.empty());
    if (!core) continue;
    ++unsatisfiable;
    int fewest = 32;
    for (std::uint32_t set = 1; set <= tried.all_rules(); ++set) {
      if (std::popcount(set) < fewest && tried.left_by(set) == 0) fewest = std::popcount(set);
    }
    std::uint32_t set = 0;
    for (const std::size_t rule : core->rules) set |= 1u << rule;
    EXPECT_EQ(tried.left_by(set), 0u);
    EXPECT_EQ(core->rules.size(), static_cast<std::size_t>(fewest));
    EXPECT_TRUE(core->smallest);
    EXPECT_TRUE(std::ranges::is_sorted(core->rules));
    ++sizes[core->rules.size()];
  }
  // Smallest cores of several sizes occur.
  for (const int size : {1, 2, 3}) EXPECT_GT(sizes[static_cast<std::size_t>(size)], 5) << size;
  EXPECT_GT(sizes[4] + sizes[5] + sizes[6], 5);
}

}  // namespace
}  // namespace attune
