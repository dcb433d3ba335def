// LaneState: what a device lane does, as a pure state machine. Events change it: a job is submitted, the worker replies
// or is gone, an error is thrown. next() then returns what the lane has to do until the next event. It implements the
// rules of docs/design.md, "Workers". It has no thread, no clock and no worker; `now` is the time of an event, in
// seconds, by a clock that never goes back.
#pragma once

#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "worker/lane_figures.hpp"
#include "worker/lane_work.hpp"
#include "worker/transport.hpp"

namespace attune {

// What a lane has to do, in this order.
struct LaneActions {
  struct JobToSend {
    Job job;
    double seconds = 0;  // within which the worker takes it
  };
  std::vector<Result> results;     // to deliver
  bool replaces_worker = false;    // the worker is ended; the next job starts a fresh one
  std::vector<JobToSend> sends;    // jobs for the worker
  std::optional<TimeLimit> waits;  // for the worker's next reply; nothing: the worker has no job
};

class LaneState {
 public:
  // `isolates`: a fresh worker undoes a kernel's damage, so that workers may be replaced.
  explicit LaneState(bool isolates) : isolates_(isolates) {}

  // The events. Takes a job. Jobs are done in the order of submission.
  void submit(Ticket ticket, Job job);
  // Takes a reply, or the worker's end.
  void receive(Receipt received, double now);
  // Takes an error of the environment: the first job's result holds it, the other jobs are dropped, and the problem is
  // forgotten. Null: the jobs were dropped while the worker had one of them.
  void fail(std::exception_ptr error, double now);
  // Drops all jobs. fail() must follow if is_busy().
  void drop_jobs() { queue_.clear(); }

  // Returns what to do now.
  LaneActions next(double now);
  // Returns whether next() has something to do.
  bool has_work() const { return !queue_.empty() || actions_.replaces_worker || !actions_.results.empty(); }
  // Returns whether the worker has a job.
  bool is_busy() const { return errand_ || sent_ > 0; }

  void set_known_good(std::optional<KnownGood> known_good);
  void set_deaths_to_verdict(int deaths) { deaths_to_verdict_ = deaths; }
  const LaneFigures& figures() const { return figures_; }

 private:
  // After a death, what worked before has to work in a fresh worker: Begin and the known-good job.
  struct EnvironmentCheck {
    std::string after, detail;
    int failures = 0;
  };

  const Job& present() const { return errand_ ? *errand_ : queue_.front().present(); }
  void prepare();
  bool can_send_ahead() const;
  void send_first(std::optional<Job> errand);
  void come_to_first();
  void answer(Reply reply);
  void finish_errand(Answer answer);
  void finish(Answer answer, bool is_spoiled);
  void lose(const Receipt& received);
  void die(const Death& death);
  void blame(const Job& job, bool is_errand, const Death& death);
  void take_apart(const std::string& failure, const std::optional<Death>& death);
  void conclude(Answer answer, std::optional<InstanceId> failed);
  void deliver();
  void replace();

  const bool isolates_;
  int deaths_to_verdict_ = 2;  // a death may be bad luck; a second one is not
  WorkerContents contents_;
  LaneFigures figures_;
  std::deque<LaneWork> queue_;
  std::size_t sent_ = 0;       // how many of the first jobs the worker has; it does the first of them
  std::optional<Job> errand_;  // what the worker does instead for the first: Begin, the known-good job, or Load
  std::optional<EnvironmentCheck> check_;  // has to pass before anything else is done
  int begin_deaths_ = 0;                   // how many workers died one after the other while they made the data
  int starts_ = 0;                         // how often the worker said that it begins, of its first job
  double started_at_ = 0;                  // when the worker came to its first job
  double now_ = 0;
  LaneActions actions_;
};

}  // namespace attune
