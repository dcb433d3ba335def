// TrialWorker: tries configurations of one kernel and problem on one device: load, check against the reference, sample.
// It decides nothing: which configurations, and how many samples, is the session's affair. One thread. Every call takes
// and gives plain values, so that a process may take its place.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "worker/prepared_steps.hpp"

namespace attune {

// The steps that make the expected result do not compile; the message holds the compiler's log.
class ReferenceDoesNotCompile : public Error {
 public:
  using Error::Error;
};

class TrialWorker {
 public:
  using CandidateId = std::uint64_t;

  // Makes the data, runs [[prepare]] and [[reference]]. `fallback` is the configuration whose output is expected when
  // the kernel has no reference (self-checked), and serves scratch sizes. Throws ReferenceDoesNotCompile, or Error when
  // the reference does not compile, fails or gives values that are not finite.
  TrialWorker(Device& device, Compiler& compiler, const KernelSpec& spec, const Problem& problem,
              const Configuration& fallback, std::uint64_t seed);

  bool self_checked() const noexcept { return self_checked_; }

  // Loads a configuration, launches it once and checks the result. On ok it can be sampled until it is released.
  struct Checked {
    Status status;
    double max_error = 0;
    std::optional<CandidateId> candidate;  // set if and only if status.ok()
  };
  Checked check(const Configuration& configuration, const Image& image);

  // One timed launch, cold caches.
  Sample sample(CandidateId candidate);
  // Checks once more after samples: what a kernel leaves in its scratch memory must not spoil later launches.
  Status recheck(CandidateId candidate, double& max_error);
  void release(CandidateId candidate);

  // Launches the candidate for at least this long, untimed.
  Status warm_up(CandidateId candidate, double milliseconds);

 private:
  Status launch_and_check(const PreparedSteps& prepared, double& max_error);
  void run_once(std::span<const Step> steps, const std::string& what);

  Device& device_;
  Compiler& compiler_;
  const KernelSpec& spec_;
  const Problem problem_;
  const Configuration fallback_;
  ProblemData data_;
  bool self_checked_ = false;
  CandidateId next_ = 1;
  std::map<CandidateId, PreparedSteps> candidates_;
};

}  // namespace attune
