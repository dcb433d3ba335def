// TrialBench: tries configurations of one kernel and problem on one device: load, check against the reference, sample.
// It decides nothing: which configurations, and how many samples, is the session's affair. It runs where the device is:
// in a device worker's process, mostly. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "worker/prepared_steps.hpp"

namespace attune {

class TrialBench {
 public:
  using CandidateId = std::uint64_t;

  // Makes the data, runs [[prepare]] and the reference. Throws OutOfMemory; Error when the reference fails or gives
  // values that are not finite. The device must outlive it.
  TrialBench(Device& device, const TrialSetup& setup);

  // Loads a configuration and readies the data, for check_loaded() and nothing before it.
  Status load(const StepsSetup& steps);
  // Launches what was loaded once and checks the result. On ok it can be sampled until it is released. Throws Error
  // when nothing was loaded, or when something else ran since.
  struct Checked {
    Status status;
    double max_error = 0;
    std::optional<CandidateId> candidate;  // set if and only if status.ok()
  };
  Checked check_loaded();

  // The calls below throw Error for a candidate that is not there.
  // One timed launch, cold caches.
  Sample sample(CandidateId candidate);
  // Checks once more after samples: what a kernel leaves in its scratch memory must not spoil later launches.
  Status recheck(CandidateId candidate, double& max_error);
  // Launches the candidate for at least this long, untimed.
  Status warm_up(CandidateId candidate, double milliseconds);
  // One that is not there is no error.
  void release(CandidateId candidate);

 private:
  // On data that were reset.
  Status launch_and_check(const PreparedSteps& prepared, double& max_error);
  void run_once(const StepsSetup& steps, const std::string& what);
  const PreparedSteps& about_to_run(CandidateId candidate);

  Device& device_;
  const std::string name_;  // kernel and problem
  ProblemData data_;
  std::optional<PreparedSteps> loaded_;
  CandidateId next_ = 1;
  std::map<CandidateId, PreparedSteps> candidates_;
};

}  // namespace attune
