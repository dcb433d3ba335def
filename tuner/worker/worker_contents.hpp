// WorkerContents: what the present device worker holds, and what a fresh one is given: the problem, the known-good job,
// the loaded instances; and how long jobs over them may take. Thread-safe, but for at().
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "worker/deadlines.hpp"

namespace attune {

// An instance that works, and the time of one launch, which deadlines are multiples of.
struct KnownGood {
  Try job;
  double launch_seconds = 0;
};

class WorkerContents {
 public:
  struct Loaded {
    InstanceLaunch launch;
    bool is_there = false;  // in the present worker
    int deaths = 0;         // of workers, of which it was one of several instances, or the only one
  };

  void set_known_good(std::optional<KnownGood> known_good);
  std::optional<KnownGood> known_good() const;
  double limit(const Job& job) const;  // seconds
  // Whether the worker can do the job as it is, with nothing loaded or taken apart before.
  bool is_ready_for(const Job& job) const;
  // The first instance that the job needs and the worker lacks. Throws Error for one that was never loaded.
  std::optional<InstanceId> first_missing(const Job& job) const;

  // Takes in what a job of `seconds` changed.
  void note(const Job& job, const Answer& answer, double seconds);
  void begin(const Begin& job);                              // forgets all of the problem before
  void set_begun(std::uint64_t free_bytes, double seconds);  // the data and the reference are there
  void worker_lost();
  void forget_problem();
  // The worker is to be replaced before it does another job.
  void wear();
  // From now on instances are not sampled together: some of them failed so.
  void keep_apart();

  std::optional<Begin> problem() const;
  std::uint64_t free_at_begin() const;  // bytes of the device's memory
  bool is_apart() const;
  bool is_worn() const;
  // Of an instance's launches; nothing for one that is not loaded.
  std::optional<int> attempt_of(InstanceId instance) const;
  // The lane's thread, while no other one sends jobs. Throws std::out_of_range.
  Loaded& at(InstanceId instance) { return loaded_.at(instance); }

 private:
  mutable std::mutex mutex_;
  std::optional<Begin> problem_;
  std::optional<KnownGood> known_good_;
  std::map<InstanceId, Loaded> loaded_;
  Deadlines deadlines_;
  std::uint64_t free_at_begin_ = 0;
  bool is_apart_ = false, is_worn_ = false;
};

}  // namespace attune
