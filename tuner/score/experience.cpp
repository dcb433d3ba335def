#include "score/experience.hpp"

namespace attune {

Experience experience_of(const RecordedSpace& elsewhere, const SearchSpace& space) {
  const Recording& recording = elsewhere.recording();
  Experience experience;
  experience.source = recording.device;
  for (std::size_t trial = 0; trial < recording.trials.size(); ++trial) {
    const Configuration configuration = elsewhere.space().configuration(recording.trials[trial].row);
    const auto row = space.row_of(configuration);
    if (row && space.contains(*row)) experience.trials.emplace_back(*row, elsewhere.outcome(trial));
  }
  return experience;
}

}  // namespace attune
