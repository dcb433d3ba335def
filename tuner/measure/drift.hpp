// Drift: whether two records of one key, of two databases, differ by more than their intervals allow. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "core/record.hpp"

namespace attune {

// One figure of both records.
struct DriftedFigure {
  double a = 0, b = 0;
  bool is_apart = false;  // the intervals of both do not overlap
  double change() const noexcept { return b / a - 1; }
};

struct Drift {
  // The medians, with the quartiles of the rounds. Quartiles know nothing of what differs between two sessions, such as
  // clocks and neighbours, so that a time drifts sooner than a speed-up.
  std::optional<DriftedFigure> time;
  // The speed-ups over the default, with their 95 % intervals: paired ratios within each session.
  std::optional<DriftedFigure> speedup;
  // The default's times. They have no interval, and tell whether the device or the configuration has changed.
  std::optional<DriftedFigure> default_time;
  bool is_other_configuration = false;

  bool is_apart() const noexcept { return (time && time->is_apart) || (speedup && speedup->is_apart); }
};

// Returns why two records cannot be compared, as a part of a sentence; "" if they can be.
std::string why_not_comparable(const Record& a, const Record& b);

// Returns how `b` differs from `a`. A figure that one of them lacks is left out.
Drift drift_of(const Record& a, const Record& b);

}  // namespace attune
