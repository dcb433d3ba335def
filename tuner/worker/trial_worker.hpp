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
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "measure/energy.hpp"
#include "measure/warm_up.hpp"
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
  // Whether launches of it can follow each other: not where inputs are restored before each of them.
  bool can_batch() const noexcept;

  // What the worker does while it has nothing to do, until it is asked for something: it samples a candidate that is
  // loaded, by a plan. One that is not, or that is 0, is not sampled.
  struct Filling {
    CandidateId candidate = 0;
    SamplePlan plan{.count = 0};
  };

  // A trial is begun, and then finished in one way or the other, so that the worker is at work while the coordinator
  // is. begin() has the configuration loaded and launches nothing; what is asked before it is finished costs time, no
  // more. forget() waits until the worker is at nothing, as if nothing had been begun.
  void begin(const Configuration& configuration, const Image& image, int attempt, const Filling& beside);
  void begin(const Configuration& configuration, const Image& image, int attempt) {
    begin(configuration, image, attempt, Filling());
  }
  void forget();

  // Launches it once and checks the result. On ok it can be sampled until it is released.
  struct Checked {
    Status status;
    Numerics numerics;
    std::optional<CandidateId> candidate;  // set if and only if status.ok()
  };
  Checked finish_check();
  Checked check(const Configuration& configuration, const Image& image, int attempt = 1);

  // Launches it once, checks the result, takes samples, checks again, and releases it: all in one breath, and
  // `meanwhile` is called while that goes on. `status` is of what failed first.
  struct Tried {
    Status status;
    Numerics numerics;
    std::vector<double> samples_ns;
  };
  Tried finish_trial(const SamplePlan& plan, const Filling& after, std::function<void()> meanwhile);

  // Samples that filled gaps since the last call, of whatever candidate was named; nanoseconds.
  std::vector<double> take_filling_samples() { return std::exchange(filling_samples_, {}); }

  // Timed launches. A candidate that a fresh worker does not know yet is loaded and checked first.
  Samples sample(CandidateId candidate, const SamplePlan& plan);
  Sample sample(CandidateId candidate);
  // One sample of each, in this order, enqueued together where that takes a tenth of a second at most; or the first
  // that fails, by being loaded once more or by its sample. Of several at once it is not known who failed: from then on
  // they are sampled one by one.
  struct InTurn {
    Status status;
    std::vector<double> nanoseconds;    // of all of them, or none
    std::optional<std::size_t> failed;  // its position, when the status is not ok; nothing: not known
  };
  InTurn sample_in_turn(std::span<const CandidateId> candidates, const SamplePlan& plan);
  bool samples_one_by_one() const noexcept { return one_by_one_; }
  // The configurations, each once, for messages.
  std::string names_of(std::span<const CandidateId> candidates) const;
  // Checks once more after samples: what a kernel leaves in its scratch memory must not spoil later launches. On
  // request it is launched twice more, on the same data.
  struct Rechecked {
    Status status;
    Numerics numerics;
    std::optional<bool> deterministic;  // both results equal bit for bit; nothing: not asked for, or no room to tell
  };
  Rechecked recheck(CandidateId candidate, bool repeats = false);
  // Not waited for.
  void release(CandidateId candidate);
  // Launches the candidate, untimed, until the device is warm.
  Status warm_up(CandidateId candidate, const WarmUpPlan& plan);
  // Launches it for so long, again and again, while the device's energy counter is read.
  struct Metering {
    Status status;
    std::optional<LaunchEnergy> energy;  // nothing: the counter took too few steps in that time
  };
  Metering meter(CandidateId candidate, const SamplePlan& plan, double warm_seconds, double seconds);

  // What was seen of the device since the last call.
  Watched take_watched() { return std::exchange(watched_, {}); }

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
  // The sum of all samples, what timing itself took of the device, without those that filled gaps; and of those.
  double timed_seconds() const noexcept { return timed_seconds_; }
  double filling_seconds() const noexcept { return filling_seconds_; }

 private:
  // A request whose answer is to come.
  struct Asked {
    enum class What { release, filling, load, check, samples, recheck, warm_up, meter } what;
    double seconds;  // how long the answer may take
    int batch = 1;   // of samples
  };
  struct Begun {
    CandidateId id = 0;
    TrialLaunch launch;
  };
  struct Candidate {
    TrialLaunch launch;
    bool is_loaded = false;  // and was checked, by the present worker
  };
  void begin_problem();
  Tried finish(const Begun& begun, const SamplePlan* plan, const Filling& after, std::function<void()> meanwhile);
  Status ensure_loaded(CandidateId id);
  InTurn ensure_all_loaded(std::span<const CandidateId> ids);
  InTurn sample_together(std::span<const CandidateId> ids, const SamplePlan& plan, double seconds);
  void be_ready();

  void ask(Asked::What what, const Request& request, double seconds, int batch = 1);
  void ask_load(CandidateId id, const TrialLaunch& launch);
  void ask_check(CandidateId id);
  void ask_samples(CandidateId id, const SamplePlan& plan);
  void ask_recheck(CandidateId id);
  void ask_release(CandidateId id);
  void ask_filling(const Filling& filling);
  bool is_asked(Asked::What what) const;
  double launch_deadline(int launches = 1) const;
  double load_deadline(const TrialLaunch& launch) const;

  std::optional<Answer> hear(Status& status);
  Status hear_outcome(Numerics& numerics, std::optional<bool>* deterministic = nullptr);
  Metering hear_metering();
  Samples hear_samples();
  void hear_aside();
  void hear_aside_before(Asked::What what);
  void hear_all();
  void follow(Reply& reply);
  void follow_clock(double seconds) noexcept;

  std::unique_ptr<Transport> own_;
  Transport& transport_;
  const KernelSpec& spec_;
  const Problem problem_;
  const DeviceOpened device_;
  const Deadlines deadlines_;
  const TrialSetup setup_;
  const bool has_scratch_;
  std::map<CandidateId, Candidate> candidates_;
  CandidateId last_ = 0;
  std::optional<Begun> begun_;
  std::deque<Asked> asked_;  // in their order
  std::vector<double> filling_samples_;
  bool one_by_one_ = false;  // what is sampled in turn: somebody failed among others
  Watched watched_;
  bool lost_ = false;
  int revivals_ = 0;
  std::uint64_t free_at_begin_ = 0, free_bytes_ = 0;  // of the device's memory
  double begin_seconds_ = 0, anchor_seconds_ = 0, busy_seconds_ = 0, timed_seconds_ = 0;
  double filling_seconds_ = 0;
  double clock_ = 0, clock_before_ = 0;  // of the present worker's device; of those before it
};

}  // namespace attune
