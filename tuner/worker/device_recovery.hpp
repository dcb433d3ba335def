// DeviceRecovery: finds out what a device worker's death is to be blamed on, and prepares a worker for a job. After
// each death, a fresh worker does the known-good job. If that fails twice, the environment is at fault, and no instance
// is. Only the lane's thread calls it, while nothing else is sent.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "worker/lane_figures.hpp"
#include "worker/result.hpp"
#include "worker/transport.hpp"
#include "worker/worker_contents.hpp"

namespace attune {

// A job on its way through a lane.
struct Work {
  Ticket ticket = 0;
  Job job;
  bool started = false;
  std::chrono::steady_clock::time_point begun_at, started_at;
  TimeLimit limit = 0;     // counted from started_at
  double began = 0;        // when it began, by the session's clock
  bool met_limit = false;  // a worker ended by a limit of processor time while it did this job
  int begun_in_vain = 0;   // how many workers died before they began it, or while they opened their device
  bool is_repeated = false;
  std::vector<std::string> notes;
};

class DeviceRecovery {
 public:
  using Clock = std::chrono::steady_clock;
  // Gives a job to the worker, within the given seconds. Throws Error once the lane ends.
  using Send = std::function<void(const Job&, double)>;

  // What the references refer to must outlive it.
  DeviceRecovery(Transport& transport, WorkerContents& contents, LaneFigures& figures, Send send);

  // The first two functions return the job's result, or nothing when the job must be sent again. All throw Error where
  // the environment is at fault, DeviceLost, and what a worker failed with.
  // Handles a worker that is gone.
  std::optional<Result> after_loss(Work& work, const Received& received);
  // Prepares the worker: replaces it if needed, and loads what the job needs. Samples of instances that are kept apart
  // are taken here, one instance at a time.
  std::optional<Result> make_ready(Work& work);
  // Handles a death of which the job's only instance is to blame, or one of several that were sampled together.
  Result after_death(Work& work, Death death);
  // Has instances sampled one at a time from now on, because one of several failed together in a worker that lives.
  void keep_apart(Work& work, const Status& status);

 private:
  Result alone(Work& work, Death death);
  Result one_at_a_time(Work& work, const Death* death);
  Answer sample_alone(Work& work, const Job& job, InstanceId id);
  std::optional<Result> load_missing(Work& work, const Job& job);
  bool is_condemned(Work& work, const std::string& configuration, const Death& death);
  void meet_limit(Work& work, const Death& death);
  Received ask(const Job& job, std::optional<Clock::time_point>& begun);
  Answer ask_or_die(const Job& job, Death& death);
  void restart_and_check(const std::string& after, const std::string& detail);
  std::string known_good_fails();
  void start_afresh();
  void restart();
  void begin_problem(std::string why);

  Transport& transport_;
  WorkerContents& contents_;
  LaneFigures& figures_;
  const Send send_;
};

}  // namespace attune
