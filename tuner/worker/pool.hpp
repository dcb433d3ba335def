// Pool: jobs go in and results come out. It holds a device worker and compile workers, with their deadlines, restarts,
// second chances and verdicts. Made for one device; sessions use it in turn. One thread calls it.
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
  // Compiles for this device and opens none.
  Pool(Workers& workers, DeviceInfo compiled_for);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Opens the device at the first call. Throws Error, UsageError: the worker's failure, or that none starts.
  const DeviceOpened& device();
  // Throws Error when there is no compiler.
  const CompilerOpened& compiler();
  // Sets the most images that are compiled at once.
  void set_compilers(unsigned most);
  // Starts so many now, so that they are ready when the first images are asked for; not where compiling disturbs.
  void start_compilers();

  // Submits a job. Jobs for the device are done in their order.
  Ticket submit(DeviceJob job);
  // Submits an image to compile: its result is ImagesCompiled, of one. Images come in any order.
  Ticket submit(ImageRequest request);
  // Waits for the next result of any job. Returns nothing once `stop` is not 0, or after `seconds`. Throws DeviceLost
  // or Error when the environment is at fault.
  std::optional<Result> next(const std::atomic<int>& stop, double seconds = forever);
  // Waits for the result of this job; other results stay. Throws as next() does, and when an earlier job lost the
  // device.
  Result wait(Ticket ticket);
  // The same. Returns nothing once `stop` is not 0, or after `seconds`; the job goes on.
  std::optional<Result> wait(Ticket ticket, const std::atomic<int>& stop, double seconds);
  Result run(DeviceJob job) { return wait(submit(std::move(job))); }
  // Compiles an image and waits for it.
  CompileOutcome compile(const ImageRequest& request);
  // Ends the device worker with all its jobs, which get no result. A fresh one begins with a Begin.
  void abandon_device_jobs();
  // Drops images without a result.
  void cancel_compiles();

  // Sets the first job of a fresh device worker after a death; a Begin clears it.
  void set_known_good(std::optional<KnownGood> known_good) { lane_->set_known_good(std::move(known_good)); }
  // Sets how many deaths are a configuration's verdict: 1 without a second attempt. 2 unless set.
  void set_deaths_to_verdict(int deaths) { lane_->set_deaths_to_verdict(deaths); }
  // Returns whether a fresh device worker undoes a kernel's damage.
  bool isolates() const noexcept { return lane_->isolates(); }
  // Returns whether the environment failed a device job since the last Begin; later jobs have no results.
  bool has_lost_device();

  // The clock that sessions are timed by, in seconds: the machine's, or as of the last result the device's own.
  double seconds() const;
  int replaced() const { return lane_->figures().replaced(); }               // device workers
  double busy_seconds() const { return lane_->figures().busy_seconds(); }    // that device workers were at jobs
  double timed_seconds() const { return lane_->figures().timed_seconds(); }  // the sum of all samples

  static constexpr double forever = 1e9;
  static inline const std::atomic<int> never{0};  // a `stop` that never comes

 private:
  void deliver(Result result);
  void deliver_of_device(Result result);
  Result taken(Result result);

  Workers& workers_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result> results_;
  bool lost_device_ = false;
  std::set<Ticket> at_device_, dropped_;  // device jobs without a result yet; jobs that get none
  Ticket last_ = 0;
  double seconds_ = 0;  // of the last device result that was taken
  unsigned compilers_ = 1;
  std::optional<DeviceInfo> compiled_for_;  // nothing: the device that is opened
  std::optional<DeviceOpened> opened_;
  std::unique_ptr<DeviceLane> lane_;
  std::unique_ptr<CompileLanes> compile_lanes_;
};

}  // namespace attune
