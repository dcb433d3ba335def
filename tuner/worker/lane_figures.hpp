// LaneFigures: the figures of a device lane so far: its workers, their seconds, the clock of sessions, the device's
// states. Thread-safe.
#pragma once

#include <mutex>

#include "worker/jobs.hpp"

namespace attune {

class LaneFigures {
 public:
  // Adds what a reply to `job` says, and moves its observations out of it.
  void add(Reply& reply, const Job& job);
  // Counts a worker that a fresh worker replaces. The clock of the fresh worker's device may begin at 0.
  void add_replaced();

  int replaced() const;          // how many workers were replaced
  double busy_seconds() const;   // how long workers did jobs
  double timed_seconds() const;  // the sum of all samples
  double seconds() const;        // the clock of sessions: the device's own over all workers, or the machine's
  Watched take_watched();        // the observations since the last call

 private:
  mutable std::mutex mutex_;
  int replaced_ = 0;
  double busy_seconds_ = 0, timed_seconds_ = 0;
  bool own_clock_ = false;
  double clock_ = 0, clock_before_ = 0;  // of the present worker's device; the sum of the workers before it
  Watched watched_;
};

}  // namespace attune
