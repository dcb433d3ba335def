// OtherRegime: what a short winner takes in another regime. Alone and in a row of launches, times of a few microseconds
// differ by a third and more, and so may the best configuration. One thread.
#pragma once

#include <optional>

#include "session/stage.hpp"

namespace attune {

class OtherRegime : private Stage {
 public:
  explicit OtherRegime(SessionParts& parts) : Stage(parts) {}

  // Returns the time of one launch in a stream, or alone where the session is of a stream. Returns nothing for longer
  // kernels, for kernels without a stream, after an interrupt, and when a sample fails.
  std::optional<TimeInRegime> run(const Configuration& winner, double median_ns);
};

}  // namespace attune
