// Pool: where jobs go in and results come out: a device worker and compile workers, with their deadlines, restarts,
// second chances and verdicts. Made for one device; sessions use it one after the other. One thread calls it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "worker/compile_lanes.hpp"
#include "worker/device_lane.hpp"
#include "worker/workers.hpp"

namespace attune {

class Pool {
 public:
  // `workers` must outlive it.
  explicit Pool(Workers& workers);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Opened at the first call. Throws Error, UsageError: what the worker failed with, or that none starts.
  const DeviceOpened& device();
  // Throws Error when there is no compiler.
  const CompilerOpened& compiler();
  // So many images at most are compiled at once.
  void set_compilers(unsigned most);

  // A Compile is of one image. Jobs for the device are done in their order; images come in any.
  Ticket submit(Job job);
  // The next result of any job, waiting for it; nothing once `stop` is not 0, or `seconds` have gone. Throws what is
  // at fault when it is the environment: DeviceLost, Error.
  std::optional<Result> next(const std::atomic<int>& stop, double seconds = forever);
  // The result of this job. Those of others stay. Throws as next() does, and when a job before it lost the device.
  Result wait(Ticket ticket);
  // submit() and wait().
  Result run(Job job) { return wait(submit(std::move(job))); }
  // An image, waited for.
  CompileOutcome compile(const ImageRequest& request);
  // Drops images without a result.
  void cancel_compiles();

  // What a fresh device worker does first, after a death; none after a Begin.
  void set_known_good(std::optional<KnownGood> known_good) { lane_->set_known_good(std::move(known_good)); }
  // Whether what a kernel does to a device worker is undone by a fresh one.
  bool isolates() const noexcept { return lane_->isolates(); }
  // Whether the environment failed a device job since the last Begin; jobs behind it have no results.
  bool has_lost_device();

  // The clock that sessions are timed by, in seconds: the machine's, or as of the last result the device's own.
  double seconds() const;
  int replaced() const { return lane_->figures().replaced(); }               // device workers
  double busy_seconds() const { return lane_->figures().busy_seconds(); }    // that device workers were at jobs
  double timed_seconds() const { return lane_->figures().timed_seconds(); }  // the sum of all samples

  static constexpr double forever = 1e9;

 private:
  void deliver(Result result);
  void deliver_of_device(Result result);
  Result taken(Result result);

  Workers& workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result> results_;
  bool lost_device_ = false;
  std::set<Ticket> at_device_, dropped_;  // device jobs without a result yet; those that get none
  Ticket last_ = 0;
  double seconds_ = 0;  // of the last device result that was taken
  unsigned compilers_ = 1;
  std::optional<DeviceOpened> opened_;
  std::unique_ptr<DeviceLane> lane_;
  std::unique_ptr<CompileLanes> compile_lanes_;
};

}  // namespace attune
