// Transport: the seam between a coordinator and one worker: jobs go out, replies come back. A worker may answer late,
// never, or with nonsense, and may die: all of that is an outcome, nothing is thrown for it. One thread receives and
// restarts; another may send meanwhile.
#pragma once

#include <string>

#include "attune/error.hpp"
#include "worker/jobs.hpp"

namespace attune {

// A worker that was killed and does not end: its device is lost, for this process and others.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

struct Heard {
  enum class End { replied, died, timed_out } end = End::replied;
  Reply reply;      // when it replied
  std::string why;  // else: "killed by signal 11 (Segmentation fault)", with the last that it printed
};

class Transport {
 public:
  virtual ~Transport() = default;
  // Gives a job to the worker, behind those that it has; starts a worker where there is none. Waits `seconds` at most
  // until the worker has taken it. A worker that cannot take it any more shows in receive(). Throws Error when none
  // can be started.
  virtual void send(const Job& job, double seconds) = 0;
  // Waits for the next reply, `seconds` at most. After anything but a reply the worker is gone, with all its jobs.
  // Throws DeviceLost when one that was killed does not end.
  virtual Heard receive(double seconds) = 0;
  // Ends the worker, if there is one, with all its jobs. Throws DeviceLost.
  virtual void restart() = 0;
  // Ends a worker that is at a job, if there is one, so that receive() returns. Any thread may call it.
  virtual void interrupt() noexcept {}
  // Whether a worker can be replaced by a fresh one, which knows nothing of what a kernel did to the last.
  virtual bool isolates() const noexcept { return true; }
};

}  // namespace attune
