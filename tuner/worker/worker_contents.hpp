// WorkerContents: what the present device worker holds, and what a fresh one is given: the problem, the known-good job,
// the loaded instances; how long jobs over them may take; and which configurations killed workers. Thread-safe, but for
// at().
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "worker/deadlines.hpp"

namespace attune {

// An instance that works, and the time of one launch, which deadlines are multiples of.
struct KnownGood {
  Try job;
  double launch_seconds = 0;
};

// A worker's death by a job, or what made its device unusable.
struct Death {
  Status status;
  bool is_by_limit = false;      // of processor time: no configuration is to blame
  bool is_from_outside = false;  // perhaps: a system without memory, or a person, kills by the same signal
};

class WorkerContents {
 public:
  struct Loaded {
    InstanceLaunch launch;
    bool is_there = false;  // in the present worker
  };
  // The workers that died of a configuration since the problem began, over all of its jobs.
  struct Deaths {
    int count = 0;
    int from_outside = 0;  // of these
    Status last;
    // Returns how many are held against the configuration: those that may be from outside for one of two sessions.
    int held() const noexcept { return std::max(std::min(count, 1), count - (from_outside + 1) / 2); }
  };

  void set_known_good(std::optional<KnownGood> known_good);
  // Sets how many deaths are a verdict; 2 unless set.
  void set_deaths_to_verdict(int deaths) { deaths_to_verdict_ = deaths; }
  int deaths_to_verdict() const noexcept { return deaths_to_verdict_; }
  std::optional<KnownGood> known_good() const;
  // Returns the deadline of a job.
  TimeLimit limit(const Job& job) const;
  TimeLimit limit_of_reference(const Job& job) const;
  // Returns the time within which the worker begins a job after its last one: a fresh one opens its device first.
  TimeLimit to_begin() const;
  void note_open();  // the worker has begun a job
  // Returns whether the worker can do the job as it is, with nothing loaded or taken apart before.
  bool is_ready_for(const Job& job) const;
  // Returns the first instance that the job needs and the worker lacks. Throws Error for one that was never loaded.
  std::optional<InstanceId> first_missing(const Job& job) const;

  // Notes what a job of `seconds` changed.
  void note(const Job& job, const Answer& answer, double seconds);
  void begin(const Begin& job);                              // forgets all of the problem before
  void set_begun(std::uint64_t free_bytes, double seconds);  // the data and the reference are there
  void worker_lost();
  void forget_problem();
  // Has the worker replaced before it does another job.
  void wear();
  // The same: kernels of the job changed the worker's process. take_notes() says so, once for each job's configurations
  // and each change.
  void spoil(const Job& job, const std::string& changed);
  std::vector<std::string> take_notes();  // since the last call
  // Has instances sampled one at a time from now on: some of them failed together.
  void keep_apart();

  std::optional<Begin> problem() const;
  std::uint64_t free_at_begin() const;  // bytes of the device's memory
  bool is_apart() const;
  bool is_worn() const;
  // Returns whether another worker has to do the job. What one instance changed in its worker, it may meet itself.
  bool needs_fresh(const Job& job) const;
  struct Past {
    int attempt = 1;  // of its launches
    int deaths = 0;   // of workers, that are held against its configuration
  };
  std::optional<Past> past_of(InstanceId instance) const;  // nothing for one that is not loaded
  Deaths deaths_of(const std::string& configuration) const;
  int count_death(const std::string& configuration, const Death& death);  // returns how many there are now
  void take_back_death(const std::string& configuration, const Death& death);
  int worker() const;  // its number since the problem began, from 1
  // Returns the configurations of a job, each once, in its order.
  std::vector<std::string> names_of(const Job& job) const;
  // For the lane's thread, while no other thread sends jobs. Throws std::out_of_range.
  Loaded& at(InstanceId instance) { return loaded_.at(instance); }

 private:
  mutable std::mutex mutex_;
  std::optional<Begin> problem_;
  std::optional<KnownGood> known_good_;
  std::map<InstanceId, Loaded> loaded_;
  std::map<std::string, Deaths> deaths_;  // by configuration text
  int worker_ = 1;
  std::atomic<int> deaths_to_verdict_{2};  // a death may be bad luck; a second one is not
  Deadlines deadlines_;
  std::uint64_t free_at_begin_ = 0;
  bool is_open_ = false, is_apart_ = false, is_worn_ = false;
  std::optional<InstanceId> spoiler_;  // what wore the worker, if it is one instance alone
  bool needs_fresh_worker(const Job& job) const;
  std::set<std::string> noted_;  // all notes since the problem began
  std::vector<std::string> notes_;
};

}  // namespace attune
