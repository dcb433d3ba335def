// Bench: one device in a session: its worker, its lock and turn, the anchor, how what is short is batched, and what is
// watched there. Stages have jobs done through it. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "measure/final_stage.hpp"
#include "session/device_watch.hpp"
#include "session/session_terms.hpp"
#include "worker/device_lock.hpp"
#include "worker/pool.hpp"

namespace attune {

// One sample of each of several instances.
struct SampledInTurn {
  Status status;
  std::vector<double> samples_ns;        // of all turns, or none
  std::optional<std::size_t> failed;     // the position of the instance that the status is of
  int deaths = 0;                        // of workers, by it
};

class Bench {
 public:
  // References must outlive it.
  Bench(Pool& pool, const SessionTerms& terms, Observer& observer, const std::atomic<int>& stop);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Makes the data and the expected result. Throws ReferenceDoesNotCompile, OutOfMemory, Error.
  void begin(std::uint64_t seed);
  bool is_self_checked() const noexcept { return setup_.self_checked; }

  // Kept from job to job, until it is ended with nothing under way.
  KeptTurn& turn() noexcept { return turn_; }

  // A trial, done while the caller goes on; its result is to be given to trial_of().
  Ticket submit_try(const Instance& instance, const Image& image, int attempt, double incumbent_ns);
  // What it says of the trial: verdict, samples, numerics. Throws Error when the environment is at fault.
  Trial trial_of(const Instance& instance, const CompileOutcome& outcome, Result result);
  // The same, waited for; on success the instance is the anchor from then on, and stays loaded.
  Trial try_as_anchor(const Instance& instance, const CompileOutcome& outcome, int attempt, double incumbent_ns,
                      std::optional<int> batch);
  double anchor_ns() const noexcept { return anchor_ ? anchor_->median_ns : 0; }  // 0: there is none yet
  double first_anchor_ns() const noexcept { return first_anchor_ns_; }
  // To be timed again every so many trials.
  bool is_anchor_due() { return anchor_ && ++trials_since_anchor_ >= terms_.protocol.anchor_every; }
  Ticket submit_anchor();
  void finish_anchor(Result result);
  int batch() const noexcept { return batch_; }

  // Loads and checks an instance, which stays loaded when the status is ok.
  Result load(const Instance& instance, const Image& image, int attempt);
  SampledInTurn sample_in_turn(std::span<const InstanceId> turns);
  Result run(Job job);
  void release(InstanceId instance) { run(Release{instance}); }
  // Kernels whose inputs are restored before each launch are not batched.
  bool can_batch() const noexcept;

  double seconds() const { return pool_.seconds(); }
  // Without what failures took: stages that compare have limits.
  double comparing_seconds() const { return pool_.seconds() - lost_seconds_; }

  DeviceWatch& watch() noexcept { return watch_; }

 private:
  struct Anchor {
    InstanceLaunch launch;
    double median_ns = 0;
  };
  void note(Result& result);
  SamplePlan timed(SamplePlan plan) const;
  Rounds rounds_of(InstanceId instance, int count) const;
  void set_anchor(const InstanceLaunch& launch, const std::vector<double>& samples_ns);
  void take_samples(const std::vector<double>& samples_ns, Trial& trial) const;

  Pool& pool_;
  const SessionTerms& terms_;
  Observer& observer_;
  const std::atomic<int>& stop_;
  DeviceLock lock_;
  KeptTurn turn_;
  TrialSetup setup_;
  std::optional<Anchor> anchor_;
  int trials_since_anchor_ = 0;
  double first_anchor_ns_ = 0;  // when it was first timed
  int batch_ = 1;               // launches that a sample is the mean of
  double lost_seconds_ = 0;
  DeviceWatch watch_;
};

}  // namespace attune
