// The search spaces of published tuners, in tests/data/spaces (or the folder that ATTUNE_SPACES names): their counts,
// their configurations, and samples of them. expected.tsv there has, by line: name, parameters, Cartesian size, legal
// configurations.
#include <gtest/gtest.h>

#include <algorithm>

#include "unit/spec/published_spaces.hpp"

namespace attune {
namespace {

// The legal rows in the order of the definition: loops over the parameters, where each rule is checked as soon as the
// parameters that it uses have values.
class Enumeration {
 public:
  explicit Enumeration(const T1Space& space) : space_(space), checks_(space.parameters.size()), row_(checks_.size()) {
    for (const Rule& rule : space.rules) {
      Check check{&rule.expression, {}, std::vector<const Value*>(rule.expression.names().size())};
      for (const auto& name : rule.expression.names()) {
        const auto named = [&](const Parameter& parameter) { return parameter.name == name; };
        const auto found = std::find_if(space.parameters.begin(), space.parameters.end(), named);
        check.parameters.push_back(static_cast<std::size_t>(found - space.parameters.begin()));
      }
      const auto last = std::max_element(check.parameters.begin(), check.parameters.end());
      checks_[last == check.parameters.end() ? 0 : *last].push_back(check);
    }
  }

  // Calls visit(row) for each.
  template <typename Visit>
  void run(const Visit& visit, std::size_t depth = 0) {
    if (depth == row_.size()) return visit(RowView(row_));
    for (std::size_t at = 0; at < space_.parameters[depth].values.size(); ++at) {
      row_[depth] = static_cast<std::uint16_t>(at);
      auto& checks = checks_[depth];
      if (std::all_of(checks.begin(), checks.end(), [&](Check& check) { return holds(check); })) run(visit, depth + 1);
    }
  }

 private:
  struct Check {
    const Expression* rule;
    std::vector<std::size_t> parameters;  // by name of the rule
    std::vector<const Value*> values;
  };

  bool holds(Check& check) const {
    for (std::size_t i = 0; i < check.parameters.size(); ++i)
      check.values[i] = &space_.parameters[check.parameters[i]].values[row_[check.parameters[i]]];
    return check.rule->holds(check.values, nullptr);
  }

  const T1Space& space_;
  std::vector<std::vector<Check>> checks_;  // by the last parameter that they use
  Row row_;
};

class SpaceDefinition : public testing::TestWithParam<PublishedSpace> {
 protected:
  const T1Space definition_ = load(GetParam());
  const SearchSpace space_{definition_.parameters, definition_.rules};
};

TEST_P(SpaceDefinition, HasAsManyConfigurationsAsPublishedWhichAreFoundAndObeyItsRules) {
  EXPECT_EQ(space_.parameters().size(), GetParam().parameters);
  EXPECT_EQ(to_text(space_.cartesian_size()), GetParam().cartesian);
  EXPECT_EQ(space_.size(), GetParam().legal);
  EXPECT_TRUE(space_.exact());
  std::mt19937_64 random(1);
  Row row(space_.parameters().size());
  for (int i = 0; i < 50'000; ++i) {
    const SpaceSize index = uniform_below(space_.size(), random);
    space_.at(index, row);
    ASSERT_EQ(space_.index_of(row), index);
    if (i % 50 != 0) continue;
    const Configuration configuration = space_.configuration(row);
    for (const Rule& rule : definition_.rules)
      ASSERT_TRUE(rule.expression.holds({nullptr, &configuration, nullptr})) << rule.expression.text();
  }
}

INSTANTIATE_TEST_SUITE_P(All, SpaceDefinition, testing::ValuesIn(published_spaces()),
                         name_of_space<testing::TestParamInfo<PublishedSpace>>);

class SmallSpaceDefinition : public SpaceDefinition {};

TEST_P(SmallSpaceDefinition, HasTheConfigurationsThatLoopsFind) {
  const auto rows = space_.rows();
  const std::size_t width = space_.parameters().size(), count = rows.size() / width;
  std::vector<bool> met(count);
  std::size_t found = 0;
  Enumeration(definition_).run([&](RowView row) {
    ++found;
    const auto index = space_.index_of(row);
    ASSERT_TRUE(index.has_value()) << space_.configuration(row).text();
    const auto at = static_cast<std::size_t>(*index);
    ASSERT_FALSE(met[at]) << space_.configuration(row).text();
    met[at] = true;
    ASSERT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(at * width)));
  });
  EXPECT_EQ(found, count);
}

INSTANTIATE_TEST_SUITE_P(All, SmallSpaceDefinition, testing::ValuesIn(published_spaces(true)),
                         name_of_space<testing::TestParamInfo<PublishedSpace>>);

TEST(SpaceDefinitions, AreAllThere) { EXPECT_GE(published_spaces().size(), 34u); }

}  // namespace
}  // namespace attune
