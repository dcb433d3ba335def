// TrialBench: tries configurations of one kernel and problem on one device: load, check against the reference, sample.
// It decides nothing: which configurations, and by what plan they are sampled, is the session's affair. It runs where
// the device is: in a device worker's process, mostly. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "measure/energy.hpp"
#include "measure/screen.hpp"
#include "worker/prepared_steps.hpp"

namespace attune {

class TrialBench {
 public:
  using CandidateId = std::uint64_t;

  // Makes the data, runs [[prepare]] and the reference. Throws OutOfMemory; Error when the reference fails or gives
  // values that are not finite. The device must outlive it.
  TrialBench(Device& device, const TrialSetup& setup);

  // Loads a configuration, by a number that the caller gives it. Launches nothing.
  Status load(CandidateId candidate, const StepsSetup& steps);

  // The calls below throw Error for a candidate that is not there.
  // Launches it once and checks the result. One that fails is released.
  Status check(CandidateId candidate, Numerics& numerics);
  // Timed launches. Kernels whose inputs are restored before every launch are not batched, whatever the plan says.
  Samples sample(CandidateId candidate, const SamplePlan& plan);
  // One sample of each, in this order, as far as possible without a wait in between. Which of them failed is not known.
  Samples sample_in_turn(std::span<const CandidateId> candidates, const SamplePlan& plan);
  // As long as `goes_on`, one at a time, one at least and plan.count at most.
  Samples sample_while(CandidateId candidate, const SamplePlan& plan, const std::function<bool()>& goes_on);
  // Checks once more after samples: what a kernel leaves in its scratch memory must not spoil later launches.
  Status recheck(CandidateId candidate, Numerics& numerics);
  // Launches it twice on the same data: are the results equal, bit for bit? Nothing where there is no room to find out.
  Status repeat(CandidateId candidate, std::optional<bool>& deterministic);
  // Launches the candidate for at least this long, untimed.
  Status warm_up(CandidateId candidate, double milliseconds);
  // The same, and tells how many launches were done by when. In the cold regime over data in turn; nothing is flushed.
  Status launch_for(CandidateId candidate, const SamplePlan& plan, double seconds,
                    const std::function<void(const Launched&)>& tell);
  // One that is not there is no error.
  void release(CandidateId candidate);

 private:
  // On data that were reset.
  Status launch_and_check(const PreparedSteps& prepared, Numerics& numerics);
  // `sets`: what it points to.
  using Sets = std::vector<std::span<const Operation>>;
  Sampling sampling_of(CandidateId candidate, const SamplePlan& plan, Sets& sets);
  void run_once(const StepsSetup& steps, const std::string& what);
  PreparedSteps& prepared(CandidateId candidate);

  Device& device_;
  const std::string name_;  // kernel and problem
  ProblemData data_;
  std::map<CandidateId, PreparedSteps> candidates_;
};

}  // namespace attune
