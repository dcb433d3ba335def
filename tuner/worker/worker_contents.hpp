// WorkerContents: what the present device worker holds and what a fresh worker must be given: the problem, the
// known-good job and the loaded instances. It also knows how long jobs may take, and which configurations killed
// workers. A plain value.
#pragma once

#include <algorithm>
#include <map>
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

// The deaths of workers by a configuration since the problem began, over all of its jobs.
struct DeathCount {
  int count = 0;
  int from_outside = 0;  // how many of these were perhaps from outside
  Status last;

  void add(const Death& death) {
    ++count;
    from_outside += death.is_from_outside;
    last = death.status;
  }
  void take_back(const Death& death) {
    --count;
    from_outside -= death.is_from_outside;
  }
  // Returns how many deaths count against the configuration: all, less half of those perhaps from outside, rounded up.
  // If there was any death, at least one counts.
  int held() const noexcept { return std::max(std::min(count, 1), count - (from_outside + 1) / 2); }
};

struct WorkerContents {
  struct LoadedInstance {
    InstanceLaunch launch;
    bool is_there = false;  // is loaded in the present worker
  };
  struct Problem {
    std::optional<Begin> begin;
    std::optional<KnownGood> known_good;
    std::map<InstanceId, LoadedInstance> loaded;
    std::map<std::string, DeathCount> deaths;  // by configuration text
    std::set<std::string> noted;               // all notes about workers that were changed
    std::uint64_t free_bytes = 0;              // of the device's memory, after Begin
    int worker = 1;                            // the number of the present worker since the problem began
    bool is_apart = false;  // instances are sampled one at a time, because some of them failed together
  };
  Problem problem;
  Deadlines deadlines;
  std::vector<std::string> notes;  // for the user, not taken so far
  // Of the present worker.
  bool is_open = false;               // its device is open
  bool has_problem = false;           // it did a Begin
  bool is_worn = false;               // it must be replaced before it does another job
  std::optional<InstanceId> spoiler;  // the instance that changed the worker, if it was one alone; it may use it still

  // Forgets the problem, its instances and its deaths.
  void forget_problem();
  // Notes that the worker is gone, with everything that was loaded in it.
  void lose_worker();
  // Has the worker replaced before it does another job.
  void wear();
  // Has the worker replaced because kernels of the job changed its process. Adds a note, once for each job's
  // configurations and each change.
  void spoil(const Job& job, const std::string& changed);
  // Notes what an answered job changed. `seconds`: how long the job took.
  void note(const Job& job, const Answer& answer, double seconds);
  // Notes that the data and the reference are there. `seconds`: how long Begin took.
  void note_begun(const BeginAnswer& begun, double seconds);

  // Returns the time within which the worker must begin its next job. A fresh worker must start and open its device
  // first. All of this is work of this machine's processors.
  TimeLimit to_begin() const { return {is_open ? Deadlines::take_seconds : Deadlines::open_seconds, true}; }
  // Returns whether a fresh worker has to do the job. A job over the one loaded instance that changed the worker needs
  // no fresh worker.
  bool needs_fresh(const Job& job) const;
  // Returns the first instance that the job needs and the worker lacks. An instance that was never loaded is not
  // lacking, because the worker refuses it.
  std::optional<InstanceId> first_missing(const Job& job) const;
  // Returns the deaths by the configuration of a loaded instance. Throws std::out_of_range for another one.
  DeathCount& deaths_of(InstanceId instance) {
    return problem.deaths[problem.loaded.at(instance).launch.configuration];
  }
  // Returns what a result of the job is about: the launch of `failed`, or that of the job's only instance, else null.
  const InstanceLaunch* subject_of(const Job& job, std::optional<InstanceId> failed) const;
  // Returns the configurations of a job, each once, in its order.
  std::vector<std::string> names_of(const Job& job) const;
};

}  // namespace attune
