#include "search/moves.hpp"

#include <gtest/gtest.h>

#include "unit/search/driven.hpp"

namespace attune {
namespace {

int differing_places(RowView a, RowView b) {
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i] ? 1 : 0;
  return count;
}

// Of every row of the product: legal, unchanged where it is legal, one parameter off where that suffices.
TEST(Repaired, IsLegalAndNoFartherThanOneParameterWhereThatSuffices) {
  const SearchSpace space = small_space();
  Row from(space.parameters().size());
  space.at(0, from);
  std::mt19937_64 random(1);
  int legal = 0, one_off = 0, farther = 0;
  Row wished(5);
  for (std::size_t number = 0; number < 864; ++number) {
    std::size_t rest = number;
    for (std::size_t i = 0; i < wished.size(); ++i) {
      const std::size_t values = space.parameters()[i].values.size();
      wished[i] = static_cast<std::uint16_t>(rest % values);
      rest /= values;
    }
    const Row repair = repaired(space, wished, from, random);
    ASSERT_TRUE(space.contains(repair));
    if (space.contains(wished)) {
      ++legal;
      EXPECT_EQ(repair, wished);
    } else if (!space.neighbours(wished, Neighbourhood::any_value).empty()) {
      ++one_off;
      EXPECT_EQ(differing_places(repair, wished), 1);
    } else {
      ++farther;
      EXPECT_LE(differing_places(repair, wished), differing_places(from, wished));
    }
  }
  EXPECT_EQ(legal, 264);
  EXPECT_GT(one_off, 100);
  EXPECT_GT(farther, 10);
}

TEST(UnitCube, LeadsBackToEveryLegalRowAndTakesTheOutermostBeyondItsBounds) {
  const SearchSpace whole = small_space(), odd({{"A", {1, 2, 3, 4, 5}}, {"B", {7}}}, {"A % 2 == 1"});
  for (const Row& row : all_rows(whole)) EXPECT_EQ(UnitCube(whole).row(UnitCube(whole).point(row)), row);
  const UnitCube cube(odd);
  EXPECT_EQ(cube.point(Row{2, 0}), (std::vector<double>{0.5, 0}));
  EXPECT_EQ(cube.row({-3, 2}), (Row{0, 0}));
  EXPECT_EQ(cube.row({9, -1}), (Row{4, 0}));
  EXPECT_EQ(cube.row({0.3, 0}), (Row{2, 0}));
}

}  // namespace
}  // namespace attune
