// Pool: jobs go in and results come out. It owns device workers, one lane for each, and compile workers, with their
// deadlines, restarts, second chances and verdicts. Its device workers are of devices of one class; sessions use it one
// after the other. One thread calls it, or strands do.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "core/device_class.hpp"
#include "worker/compile_lanes.hpp"
#include "worker/device_lane.hpp"
#include "worker/strands.hpp"
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
  // Opens all devices at the same time. A lane whose device does not open leaves, if another's does. Returns a note on
  // each that left. `names`: of the devices, by lane; they are numbered where another count of names is given. Throws
  // as device() does if none opens, and UsageError for a device twice, or for devices of two classes. No job may be
  // under way.
  std::vector<std::string> open_all(const std::vector<std::string>& names);
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
  // Waits for the next result of any job. Returns nothing once `stop` is not 0, or after `seconds`. If the environment
  // is at fault for a lane's job, that result and those of all jobs behind it in the lane hold the error. Throws Error
  // when compiling fails by itself.
  std::optional<Result> next(const std::atomic<int>& stop, double seconds = forever);
  // Waits for the result of this job; other results stay. Throws the error that it holds (DeviceLost, Error), and Error
  // for a job that was dropped.
  Result wait(Ticket ticket);
  // The same, but returns nothing once `stop` is not 0, or after `seconds`. The job goes on.
  std::optional<Result> wait(Ticket ticket, const std::atomic<int>& stop, double seconds);
  // Submits a job for a device and waits for its result.
  Result run(DeviceJob job, LaneId lane = 0) { return wait(submit(std::move(job), lane)); }
  // Compiles an image and waits for it.
  CompileOutcome compile(const ImageRequest& request);
  // Does the parts side by side, as strands: one runs until it waits here for a result. Returns when all have ended.
  // Parts must not throw.
  void run_side_by_side(const std::vector<std::function<void()>>& parts) { strands_.run(parts); }
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

  // Returns the clock by which sessions are timed, in seconds: the machine's, or that of devices with clocks of their
  // own as of the last result. Results of several such devices come in the order of that clock, whatever their
  // processes' speed.
  double seconds() const;
  // Returns the workers replaced, the busy and the timed seconds of all lanes together.
  LaneFigures figures() const;

  static constexpr double forever = 1e9;
  static inline const std::atomic<int> never{0};  // a `stop` that never comes

 private:
  struct DeviceOfLane {
    std::unique_ptr<DeviceLane> lane;
    std::optional<DeviceFacts> opened;
    std::exception_ptr lost{};      // the error by which the device was lost since the last Begin
    std::map<Ticket, double> jobs;  // that have no result yet; when they were submitted, by seconds()
    double clock = 0;               // the device's own, at the end of its last job
    double idle = 0;                // by which seconds() is ahead of it, because the device had no job meanwhile
  };
  bool has_own_clock() const;
  void deliver(Result result);
  void fail(Ticket ticket, const std::exception_ptr& error, double seconds);
  std::deque<Result>::iterator first_result();
  std::deque<Result>::iterator find(Ticket ticket);
  bool is_first_awaited(Ticket ticket);
  template <typename Condition>
  bool wait_until(std::unique_lock<std::mutex>& lock, const std::atomic<int>& stop, double seconds,
                  const Condition& is_there);
  Result take(std::deque<Result>::iterator at, std::unique_lock<std::mutex>& lock);

  Workers& workers_;
  std::vector<DeviceAlias> aliases_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Result> results_;
  Strands strands_{mutex_, changed_};
  std::vector<Ticket> awaited_;  // of the strands that wait
  double now_ = 0;               // seconds() of devices with clocks of their own
  std::set<Ticket> dropped_;     // device jobs that were abandoned, and get no result
  std::uint64_t last_ = 0;       // ticket
  unsigned compilers_ = 1;
  std::optional<DeviceInfo> compiled_for_;  // nothing: images are compiled for the first device
  std::vector<DeviceOfLane> devices_;
  std::unique_ptr<CompileLanes> compile_lanes_;
};

}  // namespace attune
