// Bench: one device in a session, with its worker, lock and turn, the anchor, the batch, and what is watched there.
// Stages submit jobs through it. One thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/trial.hpp"
#include "measure/final_stage.hpp"
#include "session/device_watch.hpp"
#include "session/session_terms.hpp"
#include "session/trial_queue.hpp"
#include "worker/device_lock.hpp"
#include "worker/pool.hpp"

namespace attune {

// One sample of each of several instances.
struct SlotSamples {
  Status status;
  std::vector<double> samples_ns;     // one for each slot; empty if a slot failed or `stop` ended them
  std::optional<std::size_t> failed;  // position in `slots` of the instance that failed
  Result result;                      // result of the job that failed
};

// Thrown when the reference or the default configuration did not end in its time, or before an interrupt. It then has
// no verdict.
class BenchUnfinished : public Error {
 public:
  using Error::Error;
};

class Bench {
 public:
  // The references must outlive the bench.
  Bench(Pool& pool, const SessionTerms& terms, Observer& observer, const std::atomic<int>& stop);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Makes the data and the expected result. If the kernel has no reference, the result is that of `expected`, which has
  // `seconds` to compile, but at least 10 s. The rest has at least two minutes. Throws ReferenceDoesNotCompile,
  // StepsFailed, BenchUnfinished, OutOfMemory, Error.
  void begin(const Configuration& expected, std::uint64_t seed, double seconds);
  // Limits the time for making the anchor to `seconds` from now, but gives it at least 10 s. With `is_needed` it has at
  // least as much time as the data.
  void limit_anchor(double seconds, bool is_needed = false);
  double anchor_seconds() const noexcept { return limit_; }
  double anchor_seconds_left() const { return ends_at_ - seconds() + lock_.waited_seconds(); }
  bool is_self_checked() const noexcept { return setup_.self_checked; }

  // Returns the turn at the device, which processes share. The turn is kept from job to job until the caller ends it
  // with nothing under way.
  KeptTurn& turn() noexcept { return turn_; }
  bool others_wait() const noexcept { return turn_.others_wait(); }

  // Submits a trial and returns at once; pass its result to trial_of().
  Ticket submit_try(const Instance& instance, const Image& image, int attempt, double incumbent_ns);
  // Returns the trial that a result makes: verdict, samples, numerics. Throws Error when the environment is at fault.
  Trial trial_of(const Instance& instance, const CompileOutcome& outcome, Result result);
  // Tries an instance and waits. On success the instance becomes the anchor and stays loaded. Throws BenchUnfinished.
  Trial try_as_anchor(const Instance& instance, const CompileOutcome& outcome, int attempt);
  double anchor_ns() const noexcept { return anchor_ ? anchor_->median_ns : 0; }    // 0 while there is no anchor
  double scatter_ns() const noexcept { return anchor_ ? anchor_->scatter_ns : 0; }  // of one sample of the anchor
  double first_anchor_ns() const noexcept { return first_anchor_ns_; }
  // Counts a trial. Returns whether the anchor is to be timed again, which it is after every Protocol::anchor_every
  // trials.
  bool is_anchor_due() { return anchor_ && ++trials_since_anchor_ >= terms_.protocol.anchor_every; }
  Ticket submit_anchor();
  void finish_anchor(Result result);
  int batch() const noexcept { return batch_; }

  // Returns what it was given and has not finished, and how many trials it may be given at once. The depth must not
  // depend on speed, since proposals depend on it.
  TrialQueue& queue() noexcept { return queue_; }
  const TrialQueue& queue() const noexcept { return queue_; }
  std::size_t depth() const;

  // Loads and checks an instance, which stays loaded when the status is ok.
  Result load(const Instance& instance, const Image& image, int attempt);
  // Takes one sample of each instance of `slots`, in order. Ends early once `stop` is at least `ends_at`.
  SlotSamples sample_in_turn(std::span<const InstanceId> slots, int ends_at);
  // Does a job and waits for its result. Throws Error when the environment is at fault.
  Result run(DeviceJob job);
  void release(InstanceId instance) { run(Release{instance}); }

  const std::string& name() const noexcept { return terms_.device.name; }  // of its device
  double seconds() const { return pool_.seconds(); }
  // Returns the time less what failures took, by which the comparing stages keep their limits.
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
  double first_anchor_ns_ = 0;  // the anchor's time at its first timing
  int batch_ = 1;               // launches per sample
  double lost_seconds_ = 0;
  double limit_ = Pool::forever,
         ends_at_ = Pool::forever;  // of what is being made; when that is, by the session's clock
  DeviceWatch watch_;
  TrialQueue queue_;
};

}  // namespace attune
