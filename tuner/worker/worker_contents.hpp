// WorkerContents: what the present device worker holds and a fresh worker must be given: the problem, the known-good
// job and the loaded instances. It also knows how long jobs may take, and which configurations killed workers.
// Thread-safe, except at().
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

// An instance that works, and the time of one of its launches. Deadlines are multiples of that time.
struct KnownGood {
  Try job;
  double launch_seconds = 0;
};

// A worker's death by a job, or a failure that made the worker's device unusable.
struct Death {
  Status status;
  bool is_by_limit = false;      // by a limit of processor time, so that no configuration is to blame
  bool is_from_outside = false;  // perhaps from outside: a system without memory, or a person, kills by the same signal
};

class WorkerContents {
 public:
  struct Loaded {
    InstanceLaunch launch;
    bool is_there = false;  // is loaded in the present worker
  };
  // The deaths of workers by a configuration since the problem began, over all of its jobs.
  struct Deaths {
    int count = 0;
    int from_outside = 0;  // how many of these were perhaps from outside
    Status last;
    // Returns how many deaths are held against the configuration. Half of those that were perhaps from outside, rounded
    // up, do not count; but if there was any death, one counts.
    int held() const noexcept { return std::max(std::min(count, 1), count - (from_outside + 1) / 2); }
  };

  void set_known_good(std::optional<KnownGood> known_good);
  // Sets how many deaths are a configuration's verdict; 2 unless set.
  void set_deaths_to_verdict(int deaths) { deaths_to_verdict_ = deaths; }
  int deaths_to_verdict() const noexcept { return deaths_to_verdict_; }
  std::optional<KnownGood> known_good() const;
  // Returns the time limit of a job, from when the worker begins it.
  TimeLimit limit(const Job& job) const;
  // Returns the time limit of the reference in a Begin, from when the reference begins.
  TimeLimit limit_of_reference(const Job& job) const;
  // Returns the time within which the worker must begin its next job. A fresh worker must start and open its device
  // first. All of this is work of this machine's processors.
  TimeLimit to_begin() const;
  // Notes that the worker has begun a job, so that its device is open.
  void note_open();
  // Returns whether the worker can do the job as it is: nothing must be loaded before, and the job needs no fresh
  // worker and no sampling one at a time.
  bool is_ready_for(const Job& job) const;
  // Returns the first instance that the job needs and the worker lacks. Throws Error for an instance that was never
  // loaded.
  std::optional<InstanceId> first_missing(const Job& job) const;

  // Notes what an answered job changed. `seconds`: how long the job took.
  void note(const Job& job, const Answer& answer, double seconds);
  // Sets a new problem, and forgets everything of the one before.
  void begin(const Begin& job);
  // Notes that the data and the reference are there. `seconds`: how long Begin took.
  void set_begun(std::uint64_t free_bytes, double seconds);
  // Notes that the worker is gone, with everything that was loaded in it.
  void worker_lost();
  // Forgets the problem, its instances and its deaths.
  void forget_problem();
  // Has the worker replaced before it does another job.
  void wear();
  // Has the worker replaced because kernels of the job changed its process. Adds a note, once for each job's
  // configurations and each change. The instance that alone changed the worker may still be used in it.
  void spoil(const Job& job, const std::string& changed);
  // Returns the notes for the user since the last call.
  std::vector<std::string> take_notes();
  // Has instances sampled one at a time from now on, because some of them failed together.
  void keep_apart();

  std::optional<Begin> problem() const;
  std::uint64_t free_at_begin() const;  // bytes of the device's memory
  bool is_apart() const;
  bool is_worn() const;
  // Returns whether a fresh worker has to do the job. A job over the one loaded instance that changed the worker needs
  // no fresh worker.
  bool needs_fresh(const Job& job) const;
  struct Past {
    int attempt = 1;  // the number of its present attempt
    int deaths = 0;   // how many deaths of workers are held against its configuration
  };
  std::optional<Past> past_of(InstanceId instance) const;  // nothing for an instance that is not loaded
  Deaths deaths_of(const std::string& configuration) const;
  // Counts a death, and returns how many there are now.
  int count_death(const std::string& configuration, const Death& death);
  // Undoes count_death().
  void take_back_death(const std::string& configuration, const Death& death);
  // Returns the number of the present worker since the problem began, from 1.
  int worker() const;
  // Returns the configurations of a job, each once, in its order.
  std::vector<std::string> names_of(const Job& job) const;
  // Returns an instance. Only the lane's thread may call it, while no other thread sends jobs. Throws std::out_of_range
  // for an instance that is not loaded.
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
  std::optional<InstanceId> spoiler_;  // the instance that changed the worker, if it was one alone
  bool needs_fresh_worker(const Job& job) const;
  std::set<std::string> noted_;  // all notes since the problem began
  std::vector<std::string> notes_;
};

}  // namespace attune
