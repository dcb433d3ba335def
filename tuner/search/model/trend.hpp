// Trend: a guess how configurations compare, from experience with other devices or problems. It is the mean over the
// sources of log(objective / best objective). A row that a source lacks is guessed from its nearest rows. One thread
// while experience is added, then any.
#pragma once

#include <unordered_map>

#include "attune/strategy.hpp"
#include "search/model/axes.hpp"

namespace attune {

class Trend {
 public:
  // Both must outlive it.
  Trend(const SearchSpace& space, const std::vector<Axis>& axes) : space_(space), axes_(axes) {}

  // Adds a source. Rows that are not legal here are skipped; without a valid row the result is false.
  bool add(const Experience& experience);
  bool empty() const { return sources_.empty(); }
  // Returns the trend of a legal row; 0 where it is empty(). Cost: some hundred rows per source without it.
  double at(const Row& row) const;

 private:
  struct Source {
    std::unordered_map<std::uint64_t, double> known;  // by the lower half of the row's index
    std::vector<std::pair<Row, double>> landmarks;    // that unknown rows are compared with
  };
  double guess(const Source& source, const Row& row) const;

  const SearchSpace& space_;
  const std::vector<Axis>& axes_;
  std::vector<Source> sources_;
};

}  // namespace attune
