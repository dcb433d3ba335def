// Random small spaces under a budget that does not suffice: what is left out of the diagram is still obeyed.
#include <algorithm>
#include <set>

#include "unit/space/reference_space.hpp"

namespace attune {
namespace {

SpaceBudget tiny_budget(std::uint64_t seed) {
  SpaceBudget budget;
  if (seed % 3 == 0) budget.nodes = 2 + seed % 8;
  if (seed % 3 == 1) budget.bytes = 64 + seed % 1024;
  if (seed % 3 == 2) budget.steps = 1 + seed % 64;
  return budget;
}

void expect_valid(const std::vector<std::size_t>& rules, const RandomSpace& random) {
  EXPECT_FALSE(rules.empty());
  EXPECT_TRUE(std::is_sorted(rules.begin(), rules.end()));
  EXPECT_EQ(std::adjacent_find(rules.begin(), rules.end()), rules.end());
  for (const std::size_t rule : rules) EXPECT_LT(rule, random.rules.size());
}

// Tables of a few thousand combinations fit any budget, so that most of the small spaces are exact all the same; those
// of `wide_shape` are not.
const SpaceShape wide_shape = {8, 9, 3, 33'000, 60'000, true};

class RelaxedRandomSpaces : public testing::TestWithParam<int> {
 public:
  static constexpr int shards = 8, small_spaces = 1000, wide_spaces = 5;

 protected:
  // Calls check(random, reference, seed) for the spaces that leave rules out.
  template <typename Check>
  void for_each_relaxed(Check check) {
    int relaxed = 0;
    for (int i = 0; i < small_spaces + wide_spaces && !HasFailure(); ++i) {
      const auto seed = static_cast<std::uint64_t>(GetParam() * (small_spaces + wide_spaces) + i);
      const RandomSpace random(seed, i < small_spaces ? SpaceShape{} : wide_shape);
      SCOPED_TRACE(random.text());
      const SearchSpace space = random.relaxed(tiny_budget(seed));
      ASSERT_EQ(space.exact(), space.left_out().empty());
      if (space.exact()) continue;
      ++relaxed;
      check(space, random, ReferenceSpace(random), seed);
    }
    if (!HasFailure()) {
      EXPECT_GT(relaxed, wide_spaces / 2);
    }
  }
};

TEST_P(RelaxedRandomSpaces, AreTooLargeForTheConstructor) {
  for_each_relaxed([](const SearchSpace& space, const RandomSpace& random, const ReferenceSpace&, std::uint64_t seed) {
    try {
      (void)random.space(tiny_budget(seed));
      FAIL() << "no error";
    } catch (const SpaceTooLarge& error) {
      expect_valid(space.left_out(), random);
      expect_valid(error.blamed, random);
      for (const std::size_t rule : error.blamed) {
        const std::string& text = random.rules[rule].expression.text();
        ASSERT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
      }
    }
  });
}

TEST(RelaxedRandomSpace, IsExactWhereTheConstructorSucceeds) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomSpace random(seed);
    SCOPED_TRACE(random.text());
    const SpaceBudget budget = tiny_budget(seed);
    std::optional<SearchSpace> exact;
    try {
      exact = random.space(budget);
    } catch (const SpaceTooLarge&) {
      continue;
    }
    const SearchSpace relaxed = random.relaxed(budget);
    ASSERT_TRUE(relaxed.exact());
    ASSERT_EQ(relaxed.rows(), exact->rows());
  }
}

TEST_P(RelaxedRandomSpaces, ContainWhatIsLegalAndListWhatTheOtherRulesAllow) {
  for_each_relaxed(
      [](const SearchSpace& space, const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t) {
        const auto& left_out = space.left_out();
        const auto obeys_the_others = [&](const Row& row) {
          for (std::size_t rule = 0; rule < random.rules.size(); ++rule) {
            const bool left = std::find(left_out.begin(), left_out.end(), rule) != left_out.end();
            if (!left && !reference.holds[rule][reference.number_of(row)]) return false;
          }
          return true;
        };
        for (std::size_t i = 0; i < reference.combinations.size(); ++i)
          ASSERT_EQ(space.contains(reference.combinations[i]), reference.legal[i]);
        ASSERT_GE(space.size(), reference.rows.size());
        std::set<Row> seen;
        for (SpaceSize i = 0; i < space.size(); ++i) {
          Row row(random.parameters.size());
          space.at(i, row);
          ASSERT_TRUE(seen.insert(row).second);
          ASSERT_TRUE(obeys_the_others(row));
          ASSERT_EQ(space.index_of(row), i);
        }
        for (const Row& row : reference.rows) ASSERT_TRUE(seen.contains(row));
      });
}

TEST_P(RelaxedRandomSpaces, DrawWhatIsLegalAlone) {
  // A space without a legal configuration is tried 10^6 times: that for a few only.
  int hopeless = 0;
  for_each_relaxed(
      [&](const SearchSpace& space, const RandomSpace& random, const ReferenceSpace& reference, std::uint64_t seed) {
        std::mt19937_64 draw(seed);
        Row row(random.parameters.size());
        if (reference.rows.empty()) {
          if (++hopeless <= 2) {
            ASSERT_THROW(space.sample(draw, row), Error);
          }
          return;
        }
        for (int i = 0; i < 20; ++i) {
          space.sample(draw, row);
          ASSERT_TRUE(reference.is_legal(row));
        }
        SampleStream stream(space, seed);
        std::set<std::string> streamed;
        while (const auto configuration = stream.next()) {
          ASSERT_TRUE(reference.is_legal(*space.row_of(*configuration))) << configuration->text();
          ASSERT_TRUE(streamed.insert(configuration->text()).second);
        }
        ASSERT_EQ(streamed.size(), reference.rows.size());
      });
}

TEST_P(RelaxedRandomSpaces, HaveLegalNeighboursAndNearestConfigurations) {
  for_each_relaxed([](const SearchSpace& space, const RandomSpace& random, const ReferenceSpace& reference,
                      std::uint64_t seed) {
    std::mt19937_64 draw(seed);
    const SearchSpace exact = random.space();
    for (int i = 0; i < 4; ++i) {
      const Row& row = reference.combinations[draw() % reference.combinations.size()];
      ASSERT_EQ(space.neighbours(row, Neighbourhood::any_value), exact.neighbours(row, Neighbourhood::any_value));
      for (const auto kind : {Neighbourhood::any_value, Neighbourhood::adjacent_value, Neighbourhood::adjacent_all}) {
        const auto neighbours = space.neighbours(row, kind);
        ASSERT_EQ(std::set<Row>(neighbours.begin(), neighbours.end()).size(), neighbours.size());
        for (const Row& neighbour : neighbours) ASSERT_TRUE(reference.is_legal(neighbour) && neighbour != row);
        Row to(row.size());
        if (space.random_neighbour(row, kind, draw, to)) {
          ASSERT_NE(std::ranges::find(neighbours, to), neighbours.end());
        }
      }
      const auto nearest = space.nearest(space.configuration(row));
      ASSERT_EQ(nearest.has_value(), !reference.rows.empty());
      if (!nearest) continue;
      ASSERT_TRUE(reference.is_legal(*space.row_of(*nearest)));
      ASSERT_EQ(*nearest == space.configuration(row), reference.is_legal(row));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Shard, RelaxedRandomSpaces, testing::Range(0, RelaxedRandomSpaces::shards));

}  // namespace
}  // namespace attune
