// LaneWork: a job on its way through a device lane. A plain value.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "worker/result.hpp"
#include "worker/worker_contents.hpp"

namespace attune {

// The samples of several instances, taken one instance after the other.
struct ApartRounds {
  std::vector<InstanceId> instances;  // each once
  std::size_t at = 0;                 // the present one
  Job job;                            // its samples
  std::vector<double> samples_ns;     // of all slots
  std::optional<Death> death;         // of all of them together; it counts for each, unless one fails alone

  InstanceId instance() const { return instances[at]; }
};

struct LaneWork {
  Ticket ticket;
  Job job;
  std::optional<ApartRounds> apart;
  std::optional<Result> outcome;  // its verdict, which stands if what worked before still works
  std::optional<double> began;    // by the session's clock
  int begun_in_vain = 0;          // how many workers died before they began it, or while they opened their device
  bool met_limit = false;         // a worker ended by a limit of processor time while it did this job
  bool is_repeated = false;
  std::vector<std::string> notes;

  // Returns what the worker has to do for it now.
  const Job& present() const { return apart ? apart->job : job; }
};

}  // namespace attune
