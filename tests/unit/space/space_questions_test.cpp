// Random small spaces: the nearest configuration, the values that are left, and what each rule does.
#include <algorithm>

#include "unit/space/reference_space.hpp"

namespace attune {
namespace {

// What someone may wish for: some values of the space, some unknown ones, some names left out, one name too many.
Configuration wish(const RandomSpace& random, std::mt19937_64& draw) {
  Configuration wished;
  if (draw() % 4 == 0) wished.set("somebody", 1);
  for (const auto& [name, values] : random.parameters) {
    const auto kind = draw() % 8;
    if (kind == 0) continue;
    wished.set(name, kind == 1 ? Value(123456) : values[draw() % values.size()]);
  }
  return wished;
}

struct Distance {
  std::size_t parameters = 0, steps = 0;
  SpaceSize index = 0;
  friend auto operator<=>(const Distance&, const Distance&) = default;
};

Distance distance(const SearchSpace& space, const Row& row, const Bindings& wished) {
  Distance distance{0, 0, space.index_of(row).value_or(space.size())};
  for (std::size_t i = 0; i < row.size(); ++i) {
    const auto& [name, values] = space.parameters()[i];
    const Value* const value = wished.find(name);
    if (value == nullptr || *value == values[row[i]]) continue;
    ++distance.parameters;
    const auto at = std::find(values.begin(), values.end(), *value);
    if (at != values.end()) distance.steps += static_cast<std::size_t>(std::abs(at - values.begin() - row[i]));
  }
  return distance;
}

class RandomSpacesQuestions : public RandomSpaces {};

TEST_P(RandomSpacesQuestions, NearestIsTheNearestOfAll) {
  for_each_space(400, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t seed) {
    const SearchSpace space = random.space();
    std::mt19937_64 draw(seed);
    for (int i = 0; i < 4; ++i) {
      const Configuration wished = wish(random, draw);
      const auto nearer = [&](const Row& a, const Row& b) {
        return distance(space, a, wished) < distance(space, b, wished);
      };
      const auto expected = std::min_element(reference.rows.begin(), reference.rows.end(), nearer);
      const auto nearest = space.nearest(wished);
      ASSERT_EQ(nearest.has_value(), expected != reference.rows.end());
      if (nearest) {
        ASSERT_EQ(nearest->text(), space.configuration(*expected).text()) << wished.text();
      }
    }
  });
}

TEST_P(RandomSpacesQuestions, ValuesLeftBrokenRulesAndEffectsAreThoseFoundByTrying) {
  for_each_space(400, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t) {
    const SearchSpace space = random.space();
    for (std::size_t i = 0; i < random.parameters.size(); ++i)
      ASSERT_EQ(space.values_left(i), reference.occurring(i)) << i;
    const auto effects = space.effects();
    ASSERT_EQ(effects.size(), random.rules.size());
    for (std::size_t rule = 0; rule < effects.size(); ++rule) {
      const auto broken = std::ranges::count(reference.holds[rule], false);
      const double fraction = static_cast<double>(broken) / static_cast<double>(reference.combinations.size());
      ASSERT_NEAR(effects[rule].removed_alone, fraction, 1e-12) << effects[rule].rule;
      ASSERT_TRUE(effects[rule].exact);
      ASSERT_EQ(effects[rule].implied, random.rules[rule].implied);
      ASSERT_EQ(effects[rule].rule, random.rules[rule].expression.text());
    }
    for (std::size_t i = 0; i < reference.combinations.size(); i += 1 + reference.combinations.size() / 30) {
      const auto broken = space.broken_rules(space.configuration(reference.combinations[i]));
      auto found = broken.begin();
      for (std::size_t rule = 0; rule < random.rules.size(); ++rule) {
        if (reference.holds[rule][i]) continue;
        ASSERT_TRUE(found != broken.end() && found->starts_with(random.rules[rule].expression.text()));
        ++found;
      }
      ASSERT_EQ(found, broken.end());
    }
  });
}

TEST_P(RandomSpacesQuestions, WithSomeOfTheRulesOnlyThoseCount) {
  for_each_space(400, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t seed) {
    const SearchSpace space = random.space();
    std::mt19937_64 draw(seed);
    std::vector<std::size_t> which;
    for (std::size_t rule = 0; rule < random.rules.size(); ++rule) {
      if (draw() % 2 == 0) which.push_back(rule);
    }
    const SearchSpace some = space.with_rules(which);
    ASSERT_EQ(some.rules().size(), which.size());
    ASSERT_EQ(some.parameters(), space.parameters());
    std::size_t legal = 0;
    for (std::size_t i = 0; i < reference.combinations.size(); ++i) {
      const bool holds =
          std::all_of(which.begin(), which.end(), [&](std::size_t rule) { return reference.holds[rule][i]; });
      ASSERT_EQ(some.contains(reference.combinations[i]), holds);
      legal += holds;
    }
    ASSERT_EQ(some.size(), legal);
  });
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomSpacesQuestions, testing::Range(0, RandomSpaces::shards));

}  // namespace
}  // namespace attune
