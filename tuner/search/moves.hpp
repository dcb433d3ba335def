// Moves: what search strategies share: random numbers that are the same on every platform, repair, and fresh
// configurations near known ones. Functions without state; one thread per `random` and ledger.
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

// What is minimised: infinite where the outcome is invalid.
constexpr double never = std::numeric_limits<double>::infinity();
inline double cost(const Outcome& outcome) { return outcome.valid ? outcome.objective : never; }

// A legal row near `wished`, which has a listed value everywhere but need not be legal: itself; else a legal one that
// differs from it in one parameter, there as little as can be; else one on the way to it from `from`, which is legal.
Row repaired(const SearchSpace& space, RowView wished, RowView from, std::mt19937_64& random);

// A row that is then marked as proposed: from a random walk that starts at `from`, which is legal; where that meets
// known ones alone, anywhere. Nothing when none is left.
std::optional<Row> claim_near(Ledger& ledger, const SearchSpace& space, RowView from, std::mt19937_64& random);

// Positions as real numbers, and back. Along each parameter only the values that occur in some configuration count:
// they lie at 0, 1/(n-1), ... 1.
class UnitCube {
 public:
  explicit UnitCube(const SearchSpace& space);
  std::size_t dimensions() const { return values_.size(); }
  std::vector<double> point(RowView legal) const;
  // The nearest values; beyond 0 and 1 the outermost. The row need not be legal.
  Row row(const std::vector<double>& point) const;

 private:
  std::vector<const std::vector<std::uint16_t>*> values_;
};

}  // namespace attune
