// DeviceRecovery: what a device worker's death is followed by, and what a job needs before it can be sent. After each
// death a fresh worker does the known-good job; if that fails twice, the environment is at fault and no instance is.
// The lane's thread calls it, while nothing else is sent.
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
  TimeLimit limit = 0;     // from then
  double began = 0;        // by the session's clock
  bool met_limit = false;  // of processor time, by which a worker ended
  int begun_in_vain = 0;   // workers that died before they began it, or while they opened their device
  bool is_repeated = false;
  std::vector<std::string> notes;
};

class DeviceRecovery {
 public:
  using Clock = std::chrono::steady_clock;
  // Gives a job to the worker, within so many seconds. Throws Error once the lane ends.
  using Send = std::function<void(const Job&, double)>;

  // All must outlive it.
  DeviceRecovery(Transport& transport, WorkerContents& contents, LaneFigures& figures, Send send);

  // Each returns what became of the job, or nothing: it is to be sent again. They throw Error where the environment is
  // at fault, DeviceLost, and what a worker failed with.
  std::optional<Result> after_loss(Work& work, const Received& received);  // the worker is gone
  std::optional<Result> make_ready(Work& work);  // has what the job needs loaded; does alone what is kept apart
  // One of several that were sampled together is to blame, or the job's only instance.
  Result after_death(Work& work, Death death);
  // One of several failed, and the worker lives: they are sampled one at a time from here.
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
