// Bench: one device with its worker, its turns, and what is watched there. It has jobs done. Sessions, comparisons and
// calibration all work on benches. One thread.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/verdict.hpp"
#include "measure/protocol.hpp"
#include "session/device_watch.hpp"
#include "worker/device_lock.hpp"
#include "worker/pool.hpp"

namespace attune {

// An instance that failed when it was sampled.
struct SampleFailure {
  InstanceId instance = 0;
  Status status;
  Result result;  // of the job that failed
};

// One sample of each of several instances.
struct SlotSamples {
  std::vector<double> samples_ns;  // one for each slot; empty if a slot failed or `stop` ended them
  std::optional<SampleFailure> failure;
};

class Bench {
 public:
  // `lane`: of the device worker. `lock_folder`: of the device's lock; "": takes no turns. The bench calls `waits`
  // while it waits for another tuner, and tells the observer what disturbs the device. The references must outlive it.
  Bench(Pool& pool, LaneId lane, const std::filesystem::path& lock_folder, WaitNote waits, Observer& observer,
        const std::atomic<int>& stop);
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  LaneId lane() const noexcept { return lane_; }
  const DeviceFacts& opened() const noexcept { return opened_; }
  const DeviceInfo& device() const noexcept { return opened_.info; }

  // Returns the turn at the device, which processes share. The turn is kept from job to job until the caller ends it
  // with nothing under way.
  KeptTurn& turn() noexcept { return turn_; }
  bool others_wait() const noexcept { return turn_.others_wait(); }
  double waited_seconds() const noexcept { return turn_.waited_seconds(); }  // for turns
  // Takes a turn that lasts as long as the returned object.
  DeviceLock::Turn take_turn() { return {lock_, stop_}; }

  // Submits a job; pass its result to noted(), or have wait() do so.
  Ticket submit(DeviceJob job) { return pool_.submit(std::move(job), lane_); }
  // Returns the result, after the observer was told of what it says of the device. Throws the error that it holds.
  Result noted(Result result);
  // Waits for a result. Throws Error when the environment is at fault.
  Result wait(Ticket ticket);
  // Does a job and waits for its result. Throws Error when the environment is at fault.
  Result run(DeviceJob job) { return wait(submit(std::move(job))); }
  // The same, but drops the job and what it may hang in once `stop` is not 0, or after `seconds`, and returns nothing.
  // After a stop the job has `grace` seconds to end.
  std::optional<Result> run_within(DeviceJob job, double seconds, double grace = 0);
  // Does jobs with two of them under way, so that the device never waits. `next` makes the next job, or none for the
  // moment. `done` is called with each result, in order. Returns when nothing is under way and `next` makes none.
  void run_all(const std::function<std::optional<DeviceJob>()>& next, const std::function<void(Result)>& done);
  void release(InstanceId instance) { run(Release{instance}); }

  // Takes the samples of all jobs, in order. Ends early once `stop` is at least `ends_at`.
  SlotSamples sample_in_turn(std::span<const Rounds> jobs, int ends_at);

  double seconds() const { return pool_.seconds(); }
  // Returns the time less what failures took, by which comparisons keep their limits.
  double comparing_seconds() const { return seconds() - lost_seconds_; }

  DeviceWatch& watch() noexcept { return watch_; }

  // Return whether a fresh worker undoes a kernel's damage; whether the environment failed a job of this bench, and
  // with it the jobs behind.
  bool isolates() const { return pool_.isolates(lane_); }
  bool has_failed() { return has_failed_ || has_lost_device(); }
  bool has_lost_device() { return pool_.has_lost_device(lane_); }
  // Drops all jobs, because the bench is used no more.
  void abandon() {
    pool_.abandon_device_jobs(lane_);
    turn_.end();
  }

 protected:
  Pool& pool_;
  const LaneId lane_;
  const std::atomic<int>& stop_;

 private:
  const DeviceFacts& opened_;
  Observer& observer_;
  DeviceLock lock_;
  KeptTurn turn_;
  double lost_seconds_ = 0;
  bool has_failed_ = false;
  DeviceWatch watch_;
};

// Does a job and returns its result.
using RunJob = std::function<Result(DeviceJob)>;

// Finds the launches of one sample of a loaded instance in a stream, and sets `plan.batch`: 1 in another regime, and on
// a device with a clock of its own. Two measurements find it, because the first one, with batches of one launch, is
// mostly the cost of a launch. Returns the result of a measurement that failed.
std::optional<Result> find_batch(const RunJob& run, InstanceId instance, const DeviceFacts& opened,
                                 const Protocol& protocol, TimingPlan& plan);

// Returns `count` samples of one instance as a job.
Rounds rounds_of(InstanceId instance, int count, const TimingPlan& plan);

// Adds jobs of `in_job` slots that take one sample of each instance of `slots`, in order.
void add_jobs(std::span<const InstanceId> slots, const TimingPlan& plan, std::size_t in_job, std::vector<Rounds>& jobs);

// Returns the status of a result. Throws what the worker failed with.
Status status_in(const Result& result);

}  // namespace attune
