// DeviceLane: a device worker as its Pool holds it: one thread that runs straight code. It sends jobs, two at most,
// waits until their deadlines, replaces a worker that died, and finds out what a death is to be blamed on. After each
// death a fresh worker does the known-good job; if that fails twice, the environment is at fault and no instance is.
// Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "worker/deadlines.hpp"
#include "worker/result.hpp"
#include "worker/transport.hpp"

namespace attune {

// An instance that works, and the time of one launch, which deadlines are multiples of.
struct KnownGood {
  Try job;
  double launch_seconds = 0;
};

// The instances that a job needs loaded, in the order of its turns.
std::vector<InstanceId> instances_of(const Job& job);

// Whether it takes samples of more than one instance.
bool samples_several(const Job& job);

// Throws what the worker failed with.
[[noreturn]] void throw_failure(const Failure& failure);

class DeviceLane {
 public:
  // `deliver` is called on the lane's thread.
  DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver);
  // Drops jobs without an answer, with their worker where it may be ended.
  ~DeviceLane();
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  void submit(Ticket ticket, Job job);
  void set_known_good(std::optional<KnownGood> known_good);

  bool isolates() const noexcept { return transport_->isolates(); }
  int replaced() const;          // workers
  double busy_seconds() const;   // that workers were at jobs
  double timed_seconds() const;  // the sum of all samples

 private:
  using Clock = std::chrono::steady_clock;
  struct Work {
    Ticket ticket = 0;
    Job job;
    bool started = false;
    Clock::time_point started_at, deadline;
    double began = 0;  // by the session's clock
    int deaths = 0;
    int begun_in_vain = 0;  // workers that died before they began it
    bool is_repeated = false;
    std::vector<std::string> notes;
  };
  struct Loaded {
    InstanceLaunch launch;
    bool is_there = false;  // in the present worker
    int deaths = 0;         // of workers, of which it was one of several instances, or the only one
  };

  // device_lane.cpp: jobs go out, answers come in
  void run();
  bool wait_for_work();
  void send_queued();
  void wait_from_now(Work& work, double seconds);
  bool can_be_sent(const Job& job) const;
  void prepare_front();
  void serve_front();
  void note_loaded(const Work& work, const Answer& answer);
  void finish(Work work, Answer answer);
  void deliver(Work work, Result result);
  void follow(Reply& reply, const Job& job);
  static void trust(const Job& job, Answer& answer);
  void forget_problem();
  void count_replaced();
  void end_recovery();
  double seconds() const;

  // device_lane_recovery.cpp: what a death is followed by
  void recover(const Heard& heard);
  void after_death(Work work, Status status);
  Result alone(Work& work, Status status);
  void keep_apart(Work work, const Status& status);
  void note_apart(Work& work, const Status& status);
  Result one_at_a_time(Work& work);
  Answer sample_alone(Work& work, const Job& job, InstanceId id, int& deaths);
  std::vector<std::string> names_of(const Job& job) const;
  Heard ask(const Job& job);
  Answer ask_or_die(const Job& job, Status& death);
  void check_environment(const std::string& after, const std::string& detail);
  std::string known_good_fails();
  void start_afresh();
  void begin_problem(std::string why);
  std::optional<Result> load_missing(Work& work, const Job& job, int deaths);
  std::optional<InstanceId> first_missing(const Job& job) const;

  const std::unique_ptr<Transport> transport_;
  const std::function<void(Result)> deliver_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_, in_flight_;  // in_flight_: the worker has them, the first one is what it does
  bool is_recovering_ = false;          // nothing else is sent meanwhile
  bool is_stale_ = false;               // the worker is to be replaced once it has nothing to do
  bool ends_ = false;
  bool is_apart_ = false;  // instances are not sampled together: some of them failed so
  std::map<InstanceId, Loaded> loaded_;
  std::optional<Begin> problem_;
  std::optional<KnownGood> known_good_;
  Deadlines deadlines_;
  std::uint64_t free_at_begin_ = 0;
  struct Figures {
    int replaced = 0;
    double busy_seconds = 0, timed_seconds = 0;
    bool own_clock = false;
    double clock = 0, clock_before = 0;  // of the present worker's device; of workers before it
    Watched watched;
  } figures_;
  std::thread thread_;
};

}  // namespace attune
