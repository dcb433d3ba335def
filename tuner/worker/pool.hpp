// Pool: jobs go in and results come out. It owns a device worker and compile workers, with their deadlines, restarts,
// second chances and verdicts. It is made for one device; sessions use it one after the other. One thread calls it.
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
  // The same, but compiles for the given device, so that compiling opens none.
  Pool(Workers& workers, DeviceInfo compiled_for);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Returns the device, which the first call opens. Throws Error or UsageError when the worker fails or does not start.
  const DeviceOpened& device();
  // Returns the compiler, which the first call opens. Throws Error when there is no compiler.
  const CompilerOpened& compiler();
  // Sets the most images that are compiled at once.
  void set_compilers(unsigned most);
  // Starts as many compile workers now, so that they are ready when the first images are submitted. Does nothing where
  // compiling disturbs timing.
  void start_compilers();

  // Submits a job for the device. Such jobs are done in the order of submission.
  Ticket submit(DeviceJob job);
  // Submits an image to compile. The answer is ImagesCompiled with one outcome. Images are done in any order.
  Ticket submit(ImageRequest request);
  // Waits for the next result of any job. Returns nothing once `stop` is not 0, or after `seconds`. Throws DeviceLost
  // or Error when the environment is at fault.
  std::optional<Result> next(const std::atomic<int>& stop, double seconds = forever);
  // Waits for the result of this job; other results stay. Throws as next() does, and Error when the job was dropped
  // because an earlier job lost the device.
  Result wait(Ticket ticket);
  // The same, but returns nothing once `stop` is not 0, or after `seconds`. The job goes on.
  std::optional<Result> wait(Ticket ticket, const std::atomic<int>& stop, double seconds);
  // Submits a job for the device and waits for its result.
  Result run(DeviceJob job) { return wait(submit(std::move(job))); }
  // Compiles an image and waits for it.
  CompileOutcome compile(const ImageRequest& request);
  // Drops the jobs for the device, which get no result, and ends a worker that has any of them. A fresh worker must get
  // a Begin first.
  void abandon_device_jobs();
  // Drops all images whose result was not taken yet. They get no result.
  void cancel_compiles();

  // Sets the job that a fresh device worker must do after a death, to show that the environment works. A Begin clears
  // it.
  void set_known_good(std::optional<KnownGood> known_good) { lane_->set_known_good(std::move(known_good)); }
  // Sets how many deaths are a configuration's verdict; 2 unless set. With 1 there is no second attempt.
  void set_deaths_to_verdict(int deaths) { lane_->set_deaths_to_verdict(deaths); }
  // Returns whether a fresh device worker undoes a kernel's damage.
  bool isolates() const noexcept { return lane_->isolates(); }
  // Returns whether the environment failed a device job since the last Begin; later jobs have no results.
  bool has_lost_device();

  // Returns the clock by which sessions are timed, in seconds: the machine's, or the device's own as of the last
  // result.
  double seconds() const;
  int replaced() const { return lane_->figures().replaced(); }               // how many device workers were replaced
  double busy_seconds() const { return lane_->figures().busy_seconds(); }    // how long device workers did jobs
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
  std::set<Ticket> at_device_, dropped_;  // device jobs without a result yet; device jobs that get no result
  Ticket last_ = 0;
  double seconds_ = 0;  // Result::seconds of the last device result that was taken
  unsigned compilers_ = 1;
  std::optional<DeviceInfo> compiled_for_;  // nothing: images are compiled for the device that is opened
  std::optional<DeviceOpened> opened_;
  std::unique_ptr<DeviceLane> lane_;
  std::unique_ptr<CompileLanes> compile_lanes_;
};

}  // namespace attune
