// Trend: a guess of how configurations compare, from experience with other devices or problems. The trend of a row is
// the mean over the sources of log(objective / best objective). A row that a source lacks is guessed from the source's
// nearest rows. One thread may add experience; after that any thread may read.
#pragma once

#include <unordered_map>

#include "attune/strategy.hpp"
#include "search/model/axes.hpp"

namespace attune {

class Trend {
 public:
  // `space` and `axes` must outlive the trend.
  Trend(const SearchSpace& space, const std::vector<Axis>& axes) : space_(space), axes_(axes) {}

  // Adds a source and skips its rows that are not legal here. Returns false, adding nothing, if the source has no valid
  // trial or no legal row.
  bool add(const Experience& experience);
  bool empty() const { return sources_.empty(); }
  // Returns the trend of a legal row; 0 if the trend is empty(). For each source without the row, it compares a few
  // hundred rows.
  double at(const Row& row) const;

 private:
  struct TrendSource {
    std::unordered_map<std::uint64_t, double> known;  // by the lower 64 bits of the row's index
    std::vector<std::pair<Row, double>> landmarks;    // rows that unknown rows are compared with
  };
  double guess(const TrendSource& source, const Row& row) const;

  const SearchSpace& space_;
  const std::vector<Axis>& axes_;
  std::vector<TrendSource> sources_;
};

}  // namespace attune
