// TrialWorker: tries configurations of one kernel and problem, as the coordinator sees it: what runs, where, how long
// it may take, and what it means that nothing came back. It decides neither which configurations nor how many samples,
// and blames nobody: a death is told, and revive() begins again with a fresh worker. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "worker/limits.hpp"
#include "worker/transport.hpp"
#include "worker/trial_setup.hpp"

namespace attune {

// How long a launch may take: least_seconds, or `factor` times the anchor's launch if that is longer; first_seconds
// while there is no anchor; or what the user says. On top of it comes what making data and comparing results took when
// the problem was begun.
struct Deadlines {
  std::optional<double> user_seconds = launch_limit_seconds();
  double first_seconds = 60;
  double least_seconds = 2;
  double factor = 50;
  // Data, [[prepare]] and [[reference]]: the reference is the simplest kernel that somebody could write.
  double begin_seconds = 900;
};

// A device worker and its device, opened. Throws what the worker failed with.
DeviceOpened open_worker(Transport& transport);

class TrialWorker {
 public:
  using CandidateId = std::uint64_t;

  // Makes the data, runs [[prepare]] and [[reference]]. `fallback` is the configuration whose output is expected when
  // the kernel has no reference (self-checked), and serves scratch sizes. Throws ReferenceDoesNotCompile, or Error when
  // the reference fails, gives values that are not finite, or kills two workers. References must outlive it.
  TrialWorker(Transport& transport, const DeviceOpened& device, Compiler& compiler, const KernelSpec& spec,
              const Problem& problem, const Configuration& fallback, std::uint64_t seed, Deadlines deadlines = {});
  // On a device of this process.
  TrialWorker(Device& device, Compiler& compiler, const KernelSpec& spec, const Problem& problem,
              const Configuration& fallback, std::uint64_t seed);
  ~TrialWorker();

  bool self_checked() const noexcept { return setup_.self_checked; }

  // Loads a configuration, launches it once and checks the result. On ok it can be sampled until it is released.
  // In two steps, so that the worker is at work while the coordinator is: begin_check() has it loaded, and launches
  // nothing; finish_check() launches and checks what begin_check() named last, and calls `meanwhile` while that goes
  // on, unless it does not come to a launch. What is asked in between has it loaded once more. Ahead of loading, a
  // candidate that is loaded already can be sampled some times beside what the coordinator does: beside_samples().
  struct Checked {
    Status status;
    double max_error = 0;
    std::optional<CandidateId> candidate;  // set if and only if status.ok()
  };
  struct Beside {
    CandidateId candidate = 0;
    int samples = 0;
  };
  void begin_check(const Configuration& configuration, const Image& image, int attempt, Beside beside);
  Checked finish_check(const std::function<void()>& meanwhile = {});
  // Waits until the worker is at nothing, as if begin_check() had not been called.
  void forget_check();
  Checked check(const Configuration& configuration, const Image& image, int attempt = 1);

  // Nanoseconds, of the last begin_check(), once finish_check() returned; those that came to something.
  const std::vector<double>& beside_samples() const noexcept { return beside_samples_; }

  // One timed launch, cold caches. A candidate that a fresh worker does not know yet is loaded and checked first.
  Sample sample(CandidateId candidate);
  // Checks once more after samples: what a kernel leaves in its scratch memory must not spoil later launches.
  Status recheck(CandidateId candidate, double& max_error);
  // Not waited for.
  void release(CandidateId candidate);
  // Launches the candidate for at least this long, untimed.
  Status warm_up(CandidateId candidate, double milliseconds);

  // A fresh worker with the same data; candidates are loaded into it when they are needed. After a sticky status the
  // next call does so by itself. Throws Error when none starts, or when the reference fails in it.
  void revive();
  // Workers that were replaced, for whatever reason.
  int revivals() const noexcept { return revivals_; }

  // The time of one launch of the anchor, which later deadlines are multiples of.
  void expect_launch(double nanoseconds) noexcept { anchor_seconds_ = nanoseconds * 1e-9; }

  // The clock that sessions are timed by (Device::seconds), going on over revivals.
  double seconds() const;
  // What device workers spent on all but reviving, as they say.
  double busy_seconds() const noexcept { return busy_seconds_; }

 private:
  struct Candidate {
    TrialLaunch launch;
    std::optional<std::uint64_t> loaded;  // its number in the present worker
  };
  template <typename Wanted>
  std::optional<Wanted> ask(const Request& request, double seconds, Status& status);
  template <typename Wanted>
  std::optional<Wanted> hear(double seconds, Status& status);
  void begin();
  void send_load(const TrialLaunch& launch);
  Checked finish_load(const TrialLaunch& launch, const std::function<void()>& meanwhile);
  void follow_clock(double seconds) noexcept;
  void hear_ahead();
  void hear_all();
  void be_ready();
  Status ensure_loaded(Candidate& candidate);
  double launch_deadline() const;
  double load_deadline(const TrialLaunch& launch) const;

  std::unique_ptr<Transport> own_;
  Transport& transport_;
  const KernelSpec& spec_;
  const Problem problem_;
  const DeviceOpened device_;
  const Deadlines deadlines_;
  const TrialSetup setup_;
  std::map<CandidateId, Candidate> candidates_;
  CandidateId next_ = 1;
  std::optional<TrialLaunch> begun_;  // by begin_check()
  bool loading_ = false;              // its answer is to come, behind those of ahead_
  enum class Ahead { release, sample };
  std::deque<Ahead> ahead_;
  std::vector<double> beside_samples_;
  bool lost_ = false;
  int revivals_ = 0;
  std::uint64_t free_at_begin_ = 0, free_bytes_ = 0;  // of the device's memory
  double begin_seconds_ = 0, anchor_seconds_ = 0, busy_seconds_ = 0;
  double clock_ = 0, clock_before_ = 0;  // of the present worker's device; of those before it
};

}  // namespace attune
