#include "search/moves.hpp"

#include <cmath>
#include <cstdlib>

namespace attune {
namespace {

constexpr int walk_steps = 20;  // away from a known configuration, before any fresh row is drawn

// Puts as many wished values as possible into `from`, one after another. One value may block another, so there is a
// second pass.
Row on_the_way(const SearchSpace& space, RowView wished, RowView from, std::mt19937_64& random) {
  Row row(from.begin(), from.end());
  std::vector<std::size_t> differing;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] != wished[i]) differing.push_back(i);
  }
  shuffle(differing, random);
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::size_t i : differing) {
      const std::uint16_t kept = std::exchange(row[i], wished[i]);
      if (kept != row[i] && !space.contains(row)) row[i] = kept;
    }
  }
  return row;
}

int steps_between(RowView a, RowView b) {
  int steps = 0;
  for (std::size_t i = 0; i < a.size(); ++i) steps += std::abs(int{a[i]} - int{b[i]});
  return steps;
}

}  // namespace

double unit_below(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

std::size_t below(std::size_t limit, std::mt19937_64& random) {
  return static_cast<std::size_t>(uniform_below(limit, random));
}

Row repaired(const SearchSpace& space, RowView wished, RowView from, std::mt19937_64& random) {
  if (space.contains(wished)) return Row(wished.begin(), wished.end());
  Row nearest;
  int fewest = std::numeric_limits<int>::max();
  std::size_t equals = 0;
  space.for_each_neighbour(wished, Neighbourhood::any_value, [&](RowView near) {
    const int steps = steps_between(near, wished);
    equals = steps < fewest ? 1 : equals + (steps == fewest ? 1 : 0);
    if (steps < fewest || (steps == fewest && below(equals, random) == 0)) nearest.assign(near.begin(), near.end());
    fewest = std::min(fewest, steps);
    return true;
  });
  return nearest.empty() ? on_the_way(space, wished, from, random) : nearest;
}

std::optional<Row> claim_near(Ledger& ledger, const SearchSpace& space, RowView from, std::mt19937_64& random) {
  Row row(from.begin(), from.end());
  for (int step = 0; step < walk_steps; ++step) {
    if (!space.random_neighbour(Row(row), Neighbourhood::any_value, random, row)) break;
    if (ledger.claim(row)) return row;
  }
  return ledger.claim_random();
}

UnitCube::UnitCube(const SearchSpace& space) {
  for (std::size_t i = 0; i < space.parameters().size(); ++i) values_.push_back(&space.values_left(i));
}

std::vector<double> UnitCube::point(RowView legal) const {
  std::vector<double> at(legal.size());
  for (std::size_t i = 0; i < legal.size(); ++i) {
    const auto& values = *values_[i];
    if (values.size() < 2) continue;
    const auto found = std::lower_bound(values.begin(), values.end(), legal[i]);
    at[i] = static_cast<double>(found - values.begin()) / static_cast<double>(values.size() - 1);
  }
  return at;
}

Row UnitCube::row(const std::vector<double>& point) const {
  Row row(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& values = *values_[i];
    const double inside = std::clamp(point[i], 0.0, 1.0) * static_cast<double>(values.size() - 1);
    row[i] = values[static_cast<std::size_t>(std::floor(inside + 0.5))];
  }
  return row;
}

}  // namespace attune
