// ObjectiveValues: what a session minimises, as its trials and finalists have it. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>

#include "core/trial.hpp"
#include "session/session_terms.hpp"

namespace attune {

class ObjectiveValues {
 public:
  // Throws UsageError for an objective that the kernel or the device cannot give. `terms` must outlive it.
  explicit ObjectiveValues(const SessionTerms& terms);

  // Of a block: static and dynamic, of the step that uses the most of the latter.
  std::uint64_t shared_bytes(const Trial& trial) const;
  // The value of one objective for a trial that takes so long.
  double value(const Trial& trial, std::size_t objective, double time_ns, std::optional<double> energy_j = {}) const;
  // Of the first objective, as far as a search knows it: while its energy is unknown a configuration counts by its time.
  double searched_value(const Trial& trial, double time_ns) const;
  // What survivors are ranked by: relative to the anchor, so that drift of the clocks cancels. `of_default`: the
  // default configuration's trial, null while there is none.
  double score(const Trial& trial, const Trial* of_default) const;
  // Throws Error for a trial that an objective has no value for.
  void check_values(const Trial& trial) const;

 private:
  const SessionTerms& terms_;
  const Objectives& objectives_;
};

// Its time, to the anchor's; the time itself where that was not timed.
double time_ratio(const Trial& trial);

}  // namespace attune
