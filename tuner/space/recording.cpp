#include "space/recording.hpp"

namespace attune {

SearchSpace space_of(const Recording& recording) {
  std::vector<Row> rows;
  rows.reserve(recording.trials.size());
  for (const RecordedTrial& trial : recording.trials) rows.push_back(trial.row);
  return SearchSpace::listed(recording.parameters, rows);
}

}  // namespace attune
