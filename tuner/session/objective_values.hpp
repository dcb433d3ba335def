// ObjectiveValues: the values of a session's objectives for trials and finalists. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trial.hpp"
#include "session/session_terms.hpp"

namespace attune {

class ObjectiveValues {
 public:
  // Throws UsageError for an objective that has no value for the kernel or on the device. `terms` must outlive the
  // object.
  explicit ObjectiveValues(const SessionTerms& terms);

  // Returns the shared memory per block, static + dynamic bytes, of the step with the most dynamic bytes.
  std::uint64_t shared_bytes(const Trial& trial) const;
  double value(const Trial& trial, std::size_t objective, double time_ns, std::optional<double> energy_j = {}) const;
  // Returns the first objective's value in the search, where no energy is known: an objective that needs energy counts
  // by the time.
  double searched_value(const Trial& trial, double time_ns) const;
  // Returns the value that ranks survivors. It is relative to the anchor, so that drift of the clocks cancels.
  // `of_anchor` is the anchor's trial, or null while there is none.
  double score(const Trial& trial, const Trial* of_anchor) const;
  // Returns the value of any objective that needs no energy, relative to the anchor in the same way.
  double ratio(const Trial& trial, std::size_t objective, const Trial* of_anchor) const;
  // Throws Error if one of the further objectives that need no energy has no value for the trial.
  void check_values(const Trial& trial) const;

 private:
  const SessionTerms& terms_;
  const Objectives& objectives_;
};

// Returns the trial's time relative to the anchor's, or the time itself if there is no anchor. `of_anchor` is as for
// score().
double time_ratio(const Trial& trial, const Trial* of_anchor);

}  // namespace attune
