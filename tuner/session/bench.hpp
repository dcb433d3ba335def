// Bench: one device in a session: its worker, lock and turn, the anchor, the batch, and observations. Stages submit
// jobs through it. One thread.
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
struct TurnsOutcome {
  Status status;
  std::vector<double> samples_ns;     // of all turns; none when one failed, or `stop` ended them
  std::optional<std::size_t> failed;  // the position of the instance with this status
  Result result;                      // of the job with this status
};

// The reference or the default configuration did not end before the session was to. Neither has a verdict.
class BenchUnfinished : public Error {
 public:
  using Error::Error;
};

class Bench {
 public:
  // References must outlive it.
  Bench(Pool& pool, const SessionTerms& terms, Observer& observer, const std::atomic<int>& stop);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Makes the data and the expected result, that of `expected` where the kernel has no reference. Has a time of its
  // own, but for compiling `expected`, which has so many seconds. Throws ReferenceDoesNotCompile, StepsFailed,
  // BenchUnfinished, OutOfMemory, Error.
  void begin(const Configuration& expected, std::uint64_t seed, double seconds);
  // The anchor is made within so many seconds from now, or a few where these are fewer. `is_needed`: it has as much
  // time as the data.
  void limit_anchor(double seconds, bool is_needed = false);
  double anchor_seconds() const noexcept { return limit_; }
  double anchor_seconds_left() const { return ends_at_ - seconds() + lock_.waited_seconds(); }
  bool is_self_checked() const noexcept { return setup_.self_checked; }

  // The turn at the device, between processes. It is kept from job to job, until it ends with nothing under way.
  KeptTurn& turn() noexcept { return turn_; }

  // Submits a trial and returns at once; pass its result to trial_of().
  Ticket submit_try(const Instance& instance, const Image& image, int attempt, double incumbent_ns);
  // Returns the trial of a result: verdict, samples, numerics. Throws Error when the environment is at fault.
  Trial trial_of(const Instance& instance, const CompileOutcome& outcome, Result result);
  // Tries it and waits; on success the instance is the anchor and stays loaded. Throws BenchUnfinished.
  Trial try_as_anchor(const Instance& instance, const CompileOutcome& outcome, int attempt);
  double anchor_ns() const noexcept { return anchor_ ? anchor_->median_ns : 0; }    // 0: there is none yet
  double scatter_ns() const noexcept { return anchor_ ? anchor_->scatter_ns : 0; }  // of one of its samples
  double first_anchor_ns() const noexcept { return first_anchor_ns_; }
  // Returns whether the anchor is to be timed again; it is after every so many trials.
  bool is_anchor_due() { return anchor_ && ++trials_since_anchor_ >= terms_.protocol.anchor_every; }
  Ticket submit_anchor();
  void finish_anchor(Result result);
  int batch() const noexcept { return batch_; }

  // Loads and checks an instance, which stays loaded when the status is ok.
  Result load(const Instance& instance, const Image& image, int attempt);
  // Samples in turn. Ends early once `stop` is at least `ends_at`.
  TurnsOutcome sample_in_turn(std::span<const InstanceId> turns, int ends_at);
  // Does a job and waits. Throws Error when the environment is at fault.
  Result run(DeviceJob job);
  void release(InstanceId instance) { run(Release{instance}); }

  double seconds() const { return pool_.seconds(); }
  // Returns the time without failures, for the limits of comparing stages.
  double comparing_seconds() const { return pool_.seconds() - lost_seconds_; }

  DeviceWatch& watch() noexcept { return watch_; }

 private:
  struct Anchor {
    InstanceLaunch launch;
    double median_ns = 0, scatter_ns = 0;
  };
  void limit_within(double seconds, double least);
  CompileOutcome compile_within(const ImageRequest& request);
  Result run_within(DeviceJob job, const std::string& what);
  [[noreturn]] void give_up(const std::string& what, const std::string& did);
  void note(Result& result);
  TimingPlan timed(TimingPlan plan) const;
  Rounds rounds_of(InstanceId instance, int count) const;
  int anchor_samples(double relative_scatter) const;
  void set_anchor(const InstanceLaunch& launch, const std::vector<double>& samples_ns);

  Pool& pool_;
  const SessionTerms& terms_;
  Observer& observer_;
  const std::atomic<int>& stop_;
  DeviceLock lock_;
  KeptTurn turn_;
  TrialSetup setup_;
  std::optional<Anchor> anchor_;
  int trials_since_anchor_ = 0;
  double first_anchor_ns_ = 0;  // at its first timing
  int batch_ = 1;               // launches per sample
  double lost_seconds_ = 0;
  double limit_ = Pool::forever,
         ends_at_ = Pool::forever;  // of what is being made; when that is, by the session's clock
  DeviceWatch watch_;
};

}  // namespace attune
