// Moves: common parts of strategies: portable random numbers, repair, and fresh configurations near known ones.
// Functions without state; one thread per `random` and ledger.
#pragma once

#include <algorithm>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "search/ledger.hpp"

namespace attune {

double unit_below(std::mt19937_64& random);                     // 0 <= result < 1
std::size_t below(std::size_t limit, std::mt19937_64& random);  // 0 <= result < limit
inline bool chance(double probability, std::mt19937_64& random) { return unit_below(random) < probability; }

template <class T>
void shuffle(std::vector<T>& all, std::mt19937_64& random) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[below(i, random)]);
}

// The minimised objective: infinite where the outcome is invalid.
constexpr double never = std::numeric_limits<double>::infinity();
inline double cost(const Outcome& outcome) { return outcome.valid ? outcome.objective : never; }

// Returns a legal row near `wished`, which has a listed value everywhere. `wished` itself comes first, then a legal row
// that differs in one parameter, as little as possible. Last comes a legal row on the way to it from `from`, which is
// legal.
Row repaired(const SearchSpace& space, RowView wished, RowView from, std::mt19937_64& random);

// Marks a row as proposed and returns it. A random walk from the legal row `from` finds it. If the walk meets only
// known rows, any fresh row is taken. Returns nothing when none is left.
std::optional<Row> claim_near(Ledger& ledger, const SearchSpace& space, RowView from, std::mt19937_64& random);

// Positions as real numbers, and back. Only the values that occur in some configuration count: they lie at 0, 1/(n-1),
// ... 1.
class UnitCube {
 public:
  explicit UnitCube(const SearchSpace& space);
  std::size_t dimensions() const { return values_.size(); }
  std::vector<double> point(RowView legal) const;
  // Returns the nearest values; beyond 0 and 1 the outermost. The row may be illegal.
  Row row(const std::vector<double>& point) const;

 private:
  std::vector<const std::vector<std::uint16_t>*> values_;
};

}  // namespace attune
