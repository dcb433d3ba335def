#include "session/warm_start.hpp"

#include <algorithm>

namespace attune {

std::vector<Row> warm_start(std::span<const Record> ranked, const SearchSpace& space, std::size_t most) {
  std::vector<Row> rows;
  for (const Record& record : ranked) {
    if (rows.size() == most) break;
    const auto row = space.row_of(record.configuration);
    if (!row || !space.contains(*row) || std::find(rows.begin(), rows.end(), *row) != rows.end()) continue;
    rows.push_back(*row);
  }
  return rows;
}

Experience experience_of(const std::string& source, std::span<const Trial> trials, const SearchSpace& space) {
  Experience experience{source, {}};
  for (const Trial& trial : trials) {
    const auto row = space.row_of(trial.configuration);
    if (!row || !space.contains(*row)) continue;
    const bool valid = trial.verdict == Verdict::ok && trial.measurement.median_ns > 0;
    // The trials count as sessions rank them: relative to the anchor, so that drift of the clocks cancels.
    const double scale = trial.anchor_ns > 0 ? trial.anchor_ns : 1;
    experience.trials.push_back(
        {*row, {valid, valid ? trial.measurement.median_ns / scale : 0, trial.compile_ms * 1e-3}});
  }
  return experience;
}

}  // namespace attune
