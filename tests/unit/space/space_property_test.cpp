// Random small spaces: their configurations, indices and samples are those that trying every combination finds.
#include <algorithm>
#include <set>

#include "unit/space/reference_space.hpp"

namespace attune {
namespace {

void expect_alike(const SearchSpace& space, const ReferenceSpace& reference) {
  ASSERT_EQ(space.size(), reference.rows.size());
  EXPECT_EQ(space.cartesian_size(), reference.combinations.size());
  EXPECT_EQ(space.empty(), reference.rows.empty());
  EXPECT_TRUE(space.exact() && space.left_out().empty() && !space.size_saturated());
  const auto listed = space.rows();
  const std::size_t width = space.parameters().size();
  ASSERT_EQ(listed.size(), reference.rows.size() * width);
  const auto is_listed = [&](RowView row, std::size_t at) {
    return std::ranges::equal(row, RowView(listed).subspan(at * width, width));
  };
  std::size_t visited = 0;
  space.for_each([&](RowView row) {
    EXPECT_TRUE(is_listed(row, visited));
    return ++visited < 20;
  });
  ASSERT_EQ(visited, std::min<std::size_t>(reference.rows.size(), 20));
  Row row(width);
  for (std::size_t i = 0; i < reference.rows.size(); ++i) {
    space.at(i, row);
    ASSERT_TRUE(is_listed(row, i));
    ASSERT_TRUE(reference.is_legal(row));
    ASSERT_EQ(space.index_of(row), SpaceSize{i});
  }
  EXPECT_THROW((void)space.at(space.size()), UsageError);
  for (std::size_t i = 0; i < reference.combinations.size(); ++i) {
    const Row& combination = reference.combinations[i];
    ASSERT_EQ(space.contains(combination), reference.legal[i]) << space.configuration(combination).text();
    ASSERT_EQ(space.index_of(combination).has_value(), reference.legal[i]) << space.configuration(combination).text();
  }
}

TEST_P(RandomSpaces, HaveTheRowsThatTryingEveryCombinationFinds) {
  for_each_space(1250, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t) {
    expect_alike(random.space(), reference);
  });
}

TEST_P(RandomSpaces, TakeConfigurationsAsTheyTakeRows) {
  for_each_space(400, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t) {
    const SearchSpace space = random.space();
    const std::size_t stride = 1 + reference.combinations.size() / 50;
    for (std::size_t i = 0; i < reference.combinations.size(); i += stride) {
      const Row& row = reference.combinations[i];
      Configuration configuration = space.configuration(row);
      ASSERT_EQ(configuration.size(), row.size());
      for (std::size_t p = 0; p < row.size(); ++p)
        ASSERT_EQ(configuration.at(random.parameters[p].name), random.parameters[p].values[row[p]]);
      ASSERT_EQ(space.row_of(configuration), row);
      ASSERT_EQ(space.contains(configuration), reference.legal[i]);
      ASSERT_EQ(space.index_of(configuration), space.index_of(row));
      if (reference.legal[i]) {
        ASSERT_EQ(space.at(*space.index_of(row)), configuration);
      }
      configuration.set("n", 24);
      ASSERT_FALSE(space.contains(configuration));
    }
  });
}

TEST_P(RandomSpaces, AreAFunctionOfTheirDefinition) {
  for_each_space(400, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t) {
    const SearchSpace space = random.space();
    ASSERT_EQ(space.rows(), random.space().rows());
    RandomSpace other = random;
    std::reverse(other.rules.begin(), other.rules.end());
    const SearchSpace reversed = other.space();
    ASSERT_EQ(reversed.size(), reference.rows.size());
    for (const Row& row : reference.rows) ASSERT_TRUE(reversed.contains(row));
  });
}

TEST_P(RandomSpaces, DrawLegalConfigurationsAlikeForEqualSeedsAndStreamEachConfigurationOnce) {
  for_each_space(400, [](const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t seed) {
    const SearchSpace space = random.space();
    std::mt19937_64 one(seed), same(seed);
    Row row(random.parameters.size());
    if (space.empty()) {
      ASSERT_THROW(space.sample(one, row), UsageError);
    }
    for (int i = 0; i < 50 && !space.empty(); ++i) {
      space.sample(one, row);
      ASSERT_TRUE(reference.is_legal(row));
      ASSERT_EQ(space.sample(same), space.configuration(row));
    }
    SampleStream stream(space, seed), again(space, seed);
    std::set<SpaceSize> drawn;
    while (const auto index = stream.next_index()) {
      ASSERT_LT(*index, space.size());
      ASSERT_TRUE(drawn.insert(*index).second);
      ASSERT_EQ(again.next(), space.at(*index));
    }
    ASSERT_EQ(drawn.size(), reference.rows.size());
    ASSERT_EQ(again.next(), std::nullopt);
  });
}

// A rule over so many combinations is not tabulated but followed from value to value.
TEST_P(RandomSpaces, WithAWideRuleHaveTheRowsThatTryingEveryCombinationFinds) {
  constexpr int count = 12;
  for (int i = 0; i < count && !HasFailure(); ++i) {
    const RandomSpace random(static_cast<std::uint64_t>(GetParam() * count + i), {8, 9, 3, 33'000, 120'000, true});
    SCOPED_TRACE(random.text());
    expect_alike(random.space(), ReferenceSpace(random));
  }
}

INSTANTIATE_TEST_SUITE_P(Shard, RandomSpaces, testing::Range(0, RandomSpaces::shards));

// What the tests above are worth: the random spaces are neither all empty nor all whole, and rules of every kind occur.
TEST(RandomSpace, IsOfManyKinds) {
  int empty = 0, whole = 0, partly_undefined = 0, with_names = 0, python = 0;
  constexpr int count = 1000;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    const RandomSpace random(seed);
    const ReferenceSpace reference(random);
    empty += reference.rows.empty();
    whole += reference.rows.size() == reference.combinations.size();
    const auto has_names = [](const Parameter& parameter) { return parameter.values[0].is_name(); };
    with_names += std::any_of(random.parameters.begin(), random.parameters.end(), has_names);
    const auto is_python = [](const Rule& rule) { return rule.expression.dialect() == Dialect::python; };
    python += std::any_of(random.rules.begin(), random.rules.end(), is_python);
    const Configuration first = random.space().configuration(reference.combinations[0]);
    const auto is_undefined = [&](const Rule& rule) {
      return rule.expression.evaluate({&random.problem, &first, &random.device}).index() == 1;
    };
    partly_undefined += std::any_of(random.rules.begin(), random.rules.end(), is_undefined);
  }
  EXPECT_LT(empty, count / 2);
  EXPECT_LT(whole, count / 2);
  EXPECT_GT(count - empty - whole, count / 4);
  EXPECT_GT(partly_undefined, count / 20);
  EXPECT_GT(with_names, count / 10);
  EXPECT_GT(python, count / 10);
}

}  // namespace
}  // namespace attune
