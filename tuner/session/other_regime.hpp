// OtherRegime: measures a winner with a short time in another regime. Times of a few microseconds differ by a third and
// more between launches alone and launches in a row, and the best configuration may differ too. One thread.
#pragma once

#include <optional>

#include "session/stage.hpp"

namespace attune {

class OtherRegime : private Stage {
 public:
  explicit OtherRegime(SessionParts& parts) : Stage(parts) {}

  // Returns the time of one launch in a stream, or of one launch alone if the session's regime is `stream`. Returns
  // nothing for longer kernels, for kernels that have no stream, after an interrupt, and when a sample fails.
  std::optional<TimeInRegime> run(const Configuration& winner, double median_ns);
};

}  // namespace attune
