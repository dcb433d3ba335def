// Trend: a guess of how configurations compare, from experience with other devices or problems: the mean over the
// sources of log(objective / best objective). What a source does not know is guessed from its rows nearest to it. One
// thread while experience is added, then any.
#pragma once

#include <unordered_map>

#include "attune/strategy.hpp"
#include "search/model/axes.hpp"

namespace attune {

class Trend {
 public:
  // Both must outlive it.
  Trend(const SearchSpace& space, const std::vector<Axis>& axes) : space_(space), axes_(axes) {}

  // Rows that are not legal here are passed over; without a valid one, so is the source: false.
  bool add(const Experience& experience);
  bool empty() const { return sources_.empty(); }
  // Of a legal row; 0 where it is empty(). Cost: some hundred rows per source that does not know it.
  double at(const Row& row) const;

 private:
  struct Source {
    std::unordered_map<std::uint64_t, double> known;  // by the lower half of the row's index
    std::vector<std::pair<Row, double>> anchors;      // that unknown rows are compared with
  };
  double guess(const Source& source, const Row& row) const;

  const SearchSpace& space_;
  const std::vector<Axis>& axes_;
  std::vector<Source> sources_;
};

}  // namespace attune
