// LaneFigures: what a device lane has seen so far: workers, seconds, the clock of sessions, the device's state.
// Thread-safe.
#pragma once

#include <mutex>

#include "worker/jobs.hpp"

namespace attune {

class LaneFigures {
 public:
  // Adds what a reply to `job` says.
  void add(Reply& reply, const Job& job);
  // Counts a worker that a fresh one takes the place of, whose device's clock may begin at 0.
  void add_replaced();

  int replaced() const;          // workers
  double busy_seconds() const;   // that workers were at jobs
  double timed_seconds() const;  // the sum of all samples
  double seconds() const;        // the device's own clock over all workers, or the machine's
  Watched take_watched();        // since the last call

 private:
  mutable std::mutex mutex_;
  int replaced_ = 0;
  double busy_seconds_ = 0, timed_seconds_ = 0;
  bool own_clock_ = false;
  double clock_ = 0, clock_before_ = 0;  // of the present worker's device; of workers before it
  Watched watched_;
};

}  // namespace attune
