// DeviceLane: a Pool's access to its device worker. The lane is one thread with sequential, blocking code. It keeps up
// to two jobs with the worker and waits for each answer until its deadline. After a death, DeviceRecovery finds out
// which configuration is to blame. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "worker/device_recovery.hpp"

namespace attune {

class DeviceLane {
 public:
  // The lane's thread calls `deliver` with each result.
  DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver);
  // Drops jobs that have no answer yet, and ends a worker that has such jobs, if it runs in a process of its own.
  ~DeviceLane();
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  // Takes a job. Jobs are done in the order of submission.
  void submit(Ticket ticket, Job job);
  // Drops all jobs, which get no result, and ends the worker if it has any of them. Returns when they are gone.
  void abandon();
  void set_known_good(std::optional<KnownGood> known_good) { contents_.set_known_good(std::move(known_good)); }

  void set_deaths_to_verdict(int deaths) { contents_.set_deaths_to_verdict(deaths); }

  bool isolates() const noexcept { return transport_->isolates(); }
  const LaneFigures& figures() const noexcept { return figures_; }

 private:
  void run();
  bool wait_for_work();
  void send_queued();
  void serve_front();
  void recover(const std::function<std::optional<Result>(Work&)>& how);
  void take_back_ahead();
  void finish(Answer answer, bool is_spoiled);
  void fail();
  void forget();
  void deliver(Work work, Result result);

  const std::unique_ptr<Transport> transport_;
  const std::function<void(Result)> deliver_;
  WorkerContents contents_;
  LaneFigures figures_;
  DeviceRecovery recovery_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> queue_, in_flight_;  // in_flight_: the jobs that the worker has; it does the first of them
  bool is_recovering_ = false;          // nothing else is sent meanwhile, and the first job stays in in_flight_
  bool ends_ = false, abandons_ = false;
  std::thread thread_;
};

}  // namespace attune
