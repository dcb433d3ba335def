// ObjectiveValues: the values of a session's objectives for trials and finalists. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trial.hpp"
#include "session/session_terms.hpp"

namespace attune {

class ObjectiveValues {
 public:
  // Throws UsageError for an objective without a value for the kernel or on the device. `terms` must outlive it.
  explicit ObjectiveValues(const SessionTerms& terms);

  // Returns static and dynamic bytes per block, of the step with the most dynamic ones.
  std::uint64_t shared_bytes(const Trial& trial) const;
  double value(const Trial& trial, std::size_t objective, double time_ns, std::optional<double> energy_j = {}) const;
  // Returns the first objective's value in the search: without its energy, a configuration counts by its time.
  double searched_value(const Trial& trial, double time_ns) const;
  // Returns the value that ranks survivors: relative to the anchor, so that drift of the clocks cancels. `of_anchor`:
  // the anchor's trial, null while there is none.
  double score(const Trial& trial, const Trial* of_anchor) const;
  // Throws Error for a trial without a value of an objective.
  void check_values(const Trial& trial) const;

 private:
  const SessionTerms& terms_;
  const Objectives& objectives_;
};

// Returns its time relative to the anchor's; the time itself where there is no anchor. `of_anchor`: as for score().
double time_ratio(const Trial& trial, const Trial* of_anchor);

}  // namespace attune
