// LaneFigures: the figures of a device lane so far: its workers, their seconds, the clock of sessions, the device's
// states. A plain value.
#pragma once

#include "worker/jobs.hpp"

namespace attune {

struct LaneFigures {
  int replaced = 0;                    // how many workers were replaced
  double busy_seconds = 0;             // how long workers did jobs
  double timed_seconds = 0;            // the sum of all samples
  bool own_clock = false;              // the device's clock is not this machine's
  double clock = 0, clock_before = 0;  // of the present worker's device; the sum of the workers before it
  DeviceReadings watched;              // the observations that no result took so far

  // Adds what a reply to `job` says, and moves its observations out of it.
  void add(Reply& reply, const Job& job);
  // Counts a worker that a fresh worker replaces. The clock of the fresh worker's device may begin at 0.
  void add_replaced();
  // Returns the clock of sessions: the device's own over all workers, or `now`, which is the machine's.
  double seconds(double now) const { return own_clock ? clock_before + clock : now; }
};

}  // namespace attune
