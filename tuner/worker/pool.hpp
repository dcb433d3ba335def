// Pool: jobs go in and results come out. It owns device workers, one lane for each, and compile workers, with their
// deadlines, restarts, second chances and verdicts. Its device workers are of devices of one class; sessions use it one
// after the other. One thread calls it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "core/device_class.hpp"
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

  // Returns how many device workers there are. The functions below are for one of them, or for its lane.
  LaneId lanes() const { return devices_.size(); }
  // Returns the device, which the first call opens. Throws Error or UsageError when the worker fails or does not start.
  const DeviceFacts& device(LaneId lane = 0);
  // Opens all devices at the same time. A lane whose device does not open leaves, if another's does. Returns why each
  // left. Throws as device() does if none opens, and UsageError for a device twice, or for devices of two classes. No
  // job may be under way.
  std::vector<std::string> open_all();
  // Sets the aliases of devices. They also hold for devices that are open already.
  void set_aliases(std::vector<DeviceAlias> aliases);
  // Returns the compiler, which the first call opens. Throws Error when there is no compiler.
  const CompilerFacts& compiler();
  // Sets the most images that are compiled at once.
  void set_compilers(unsigned most);
  // Starts as many compile workers now, so that they are ready when the first images are submitted. Does nothing where
  // compiling disturbs timing.
  void start_compilers();

  // Submits a job for a device. The jobs of a lane are done in the order of submission.
  Ticket submit(DeviceJob job, LaneId lane = 0);
  // Submits an image to compile. The answer is CompileAnswer with one outcome. Images are done in any order.
  Ticket submit(ImageRequest request);
  // Waits for the next result of any job. Returns nothing once `stop` is not 0, or after `seconds`. Throws DeviceLost
  // or Error when the environment is at fault.
  std::optional<Result> next(const std::atomic<int>& stop, double seconds = forever);
  // Waits for the result of this job; other results stay. Throws as next() does, and Error when the job was dropped
  // because an earlier job of its lane lost the device.
  Result wait(Ticket ticket);
  // The same, but returns nothing once `stop` is not 0, or after `seconds`. The job goes on.
  std::optional<Result> wait(Ticket ticket, const std::atomic<int>& stop, double seconds);
  // Submits a job for a device and waits for its result.
  Result run(DeviceJob job, LaneId lane = 0) { return wait(submit(std::move(job), lane)); }
  // Compiles an image and waits for it.
  CompileOutcome compile(const ImageRequest& request);
  // Drops the lane's jobs, which get no result, and ends a worker that has any of them. A fresh worker must get a Begin
  // first.
  void abandon_device_jobs(LaneId lane = 0);
  // Drops all images whose result was not taken yet. They get no result.
  void cancel_compiles();

  // Sets the job that a fresh device worker must do after a death, to show that the environment works. A Begin clears
  // it.
  void set_known_good(std::optional<KnownGood> known_good, LaneId lane = 0) {
    devices_.at(lane).lane->set_known_good(std::move(known_good));
  }
  // Sets how many deaths are a configuration's verdict, in all lanes; 2 unless set. With 1 there is no second attempt.
  void set_deaths_to_verdict(int deaths);
  // Returns whether a fresh device worker undoes a kernel's damage.
  bool isolates(LaneId lane = 0) const { return devices_.at(lane).lane->isolates(); }
  // Returns whether the environment failed a job of the lane since the last Begin; later jobs have no results.
  bool has_lost_device(LaneId lane = 0);

  // Returns the clock by which sessions are timed, in seconds: the machine's, or the device's own as of the last
  // result.
  double seconds(LaneId lane = 0) const;
  // Returns the workers replaced, the busy and the timed seconds of all lanes together.
  LaneFigures figures() const;

  static constexpr double forever = 1e9;
  static inline const std::atomic<int> never{0};  // a `stop` that never comes

 private:
  struct DeviceOfLane {
    std::unique_ptr<DeviceLane> lane;
    std::optional<DeviceFacts> opened;
    bool is_lost = false;
    std::set<Ticket> jobs;  // that have no result yet
    double seconds = 0;     // Result::seconds of the last result that was taken
  };
  void deliver(Result result);
  template <typename Condition>
  bool wait_until(std::unique_lock<std::mutex>& lock, const std::atomic<int>& stop, double seconds,
                  const Condition& is_there);
  Result take(std::deque<Result>::iterator at, std::unique_lock<std::mutex>& lock);

  Workers& workers_;
  std::vector<DeviceAlias> aliases_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result> results_;
  std::set<Ticket> dropped_;  // device jobs that get no result
  std::uint64_t last_ = 0;    // ticket
  unsigned compilers_ = 1;
  std::optional<DeviceInfo> compiled_for_;  // nothing: images are compiled for the first device
  std::vector<DeviceOfLane> devices_;
  std::unique_ptr<CompileLanes> compile_lanes_;
};

}  // namespace attune
