// DeviceLane: a Pool's access to a device worker. Its one thread does what LaneState says, and tells it what the worker
// replies. Thread-safe.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "worker/lane_state.hpp"

namespace attune {

class DeviceLane {
 public:
  // The lane's thread calls `deliver` with each result. `deliver` must not call the lane.
  DeviceLane(std::unique_ptr<Transport> transport, std::function<void(Result)> deliver);
  // Drops jobs that have no answer yet, and ends a worker that has such jobs, if it runs in a process of its own.
  ~DeviceLane();
  DeviceLane(const DeviceLane&) = delete;
  DeviceLane& operator=(const DeviceLane&) = delete;

  // Takes a job. Jobs are done in the order of submission.
  void submit(Ticket ticket, Job job);
  // Drops all jobs, which get no result, and ends the worker if it has any of them. Returns when they are gone.
  void abandon();
  void set_known_good(std::optional<KnownGood> known_good);
  void set_deaths_to_verdict(int deaths);

  bool isolates() const noexcept { return transport_->isolates(); }
  LaneFigures figures() const;

 private:
  void run();
  std::optional<TimeLimit> act(LaneActions actions);
  Receipt receive(std::unique_lock<std::mutex>& lock, TimeLimit limit);

  const std::unique_ptr<Transport> transport_;
  const std::function<void(Result)> deliver_;
  mutable std::mutex mutex_;  // held except while the lane's thread waits
  std::condition_variable changed_;
  LaneState state_;
  bool ends_ = false, abandons_ = false;
  std::thread thread_;
};

}  // namespace attune
