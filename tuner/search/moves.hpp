// Moves: common parts of strategies: portable random numbers, repair, and fresh configurations near known ones. The
// functions have no state; each `random` and each ledger is for one thread.
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

// The cost of an outcome, which strategies minimise: its objective, or infinite if it is invalid.
constexpr double never = std::numeric_limits<double>::infinity();
inline double cost(const Outcome& outcome) { return outcome.valid ? outcome.objective : never; }

// Returns a legal row near `wished`, which must have valid positions. In this order: `wished` itself if it is legal; a
// legal row that differs from it in one parameter, by as few positions as possible; a legal row on the way from `from`
// to it. `from` must be legal.
Row repaired(const SearchSpace& space, RowView wished, RowView from, std::mt19937_64& random);

// Marks a fresh row as proposed and returns it: the first that a random walk from the legal row `from` meets. If the
// walk meets only known rows, any fresh row is drawn. Returns nothing when none is left.
std::optional<Row> claim_near(Ledger& ledger, const SearchSpace& space, RowView from, std::mt19937_64& random);

// Converts positions to real numbers and back. The n values of a parameter that occur in some configuration lie at 0,
// 1/(n-1), ... 1.
class UnitCube {
 public:
  explicit UnitCube(const SearchSpace& space);
  std::size_t dimensions() const { return values_.size(); }
  std::vector<double> point(RowView legal) const;
  // Returns the row of the nearest values; numbers beyond 0 and 1 give the outermost values. The row may be illegal.
  Row row(const std::vector<double>& point) const;

 private:
  std::vector<const std::vector<std::uint16_t>*> values_;
};

}  // namespace attune
