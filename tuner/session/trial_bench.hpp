// TrialBench: a bench in a session, with the data of the session's problem, the anchor as measured there, the batch of
// the regime, and the trials that it was given. One thread.
#pragma once

#include <optional>

#include "core/trial.hpp"
#include "session/bench.hpp"
#include "session/session_terms.hpp"

namespace attune {

// Thrown when the reference or the default configuration did not end in its time, or before an interrupt. It then has
// no verdict.
class BenchFailure : public Error {
 public:
  using Error::Error;
};

// What is known of the anchor's time; all 0 while there is no anchor.
struct AnchorTime {
  double median_ns = 0;
  double scatter_ns = 0;  // of one sample
  double first_ns = 0;    // the median at the first timing
};

class TrialBench : public Bench {
 public:
  // The references must outlive the bench.
  TrialBench(Pool& pool, LaneId lane, const SessionTerms& terms, Observer& observer, const std::atomic<int>& stop);

  // Makes the data and the expected result. If the subject has no reference, the result is that of `expected`, which
  // has `seconds` to compile, but at least 10 s. The rest has at least two minutes. Throws ReferenceDoesNotCompile,
  // StepsFailure, BenchFailure, OutOfMemory, Error.
  void begin(const Configuration& expected, std::uint64_t seed, double seconds);
  // Makes the data that another bench of the session has. The caller has the turn at the device. Throws the same.
  void begin_as(const TrialBench& other);
  bool is_self_checked() const noexcept { return setup_.self_checked; }

  // Limits the time for making the anchor to `seconds` from now, but gives it at least 10 s. With `is_needed` it has at
  // least as much time as the data.
  void limit_anchor(double seconds, bool is_needed = false);
  double anchor_seconds() const noexcept { return limit_; }
  void extend_anchor(double seconds) noexcept { ends_at_ += seconds; }  // which another bench waited
  double anchor_seconds_left() { return ends_at_ - seconds() + waited_seconds(); }

  // Tries an instance and waits. On success the instance becomes the anchor and stays loaded. Throws BenchFailure.
  Trial try_as_anchor(const Instance& instance, const CompileOutcome& outcome, int attempt);
  const AnchorTime& anchor() const noexcept { return anchor_; }
  // Counts a trial. Returns whether the anchor is to be timed again, which it is after every Protocol::anchor_every
  // trials.
  bool is_anchor_due() { return anchor_launch_ && ++trials_since_anchor_ >= terms_.protocol.anchor_every; }
  Ticket submit_anchor();
  void finish_anchor(Result result);

  // Submits a trial and returns at once; pass its result to trial_of().
  Ticket submit_try(const Instance& instance, const Image& image, int attempt, double incumbent_ns);
  // Returns the trial that a result makes: verdict, samples, numerics. Throws Error when the environment is at fault.
  Trial trial_of(const Instance& instance, const CompileOutcome& outcome, Result result);
  // Returns how many trials it may have at once. The depth must not depend on speed, since proposals depend on it.
  std::size_t depth() const;

  // Takes one sample of each loaded instance, by jobs so short that a stop is soon obeyed.
  SlotSamples sample_in_turn(std::span<const InstanceId> slots, int ends_at);
  int batch() const noexcept { return plan_.batch; }  // launches per sample

 private:
  void limit_within(double seconds, double least);
  CompileOutcome compile_within(const ImageRequest& request);
  Result run_within(DeviceJob job, const std::string& what);
  [[noreturn]] void give_up(const std::string& what, const std::string& did);
  void set_anchor_time(const std::vector<double>& samples_ns);

  const SessionTerms& terms_;
  TrialSetup setup_;
  TimingPlan plan_;  // of one sample
  std::optional<InstanceLaunch> anchor_launch_;
  AnchorTime anchor_;
  int trials_since_anchor_ = 0;
  double limit_ = Pool::forever,
         ends_at_ = Pool::forever;  // of what is being made; when that is, by the session's clock
};

}  // namespace attune
