// DeviceLane: a device worker as its Pool holds it: one thread that runs straight code. It sends jobs, two at most,
// waits until their deadlines, and has DeviceRecovery find out what a death is to be blamed on. Thread-safe.
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
  // `deliver` is called on the lane's thread.
  DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver);
  // Drops jobs without an answer, with their worker where it may be ended.
  ~DeviceLane();
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  void submit(Ticket ticket, Job job);
  // Ends the worker with all jobs, which get no result. Returns when they are gone.
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
  std::deque<Work> queue_, in_flight_;  // in_flight_: the worker has them, the first one is what it does
  bool is_recovering_ = false;          // nothing else is sent meanwhile, and the first one stays where it is
  bool ends_ = false, abandons_ = false;
  std::thread thread_;
};

}  // namespace attune
