// Transport: the seam between a coordinator and one worker. Jobs go out, and replies come back. A worker may answer
// late, never, or with nonsense, and may die; all of these are outcomes, not exceptions. One thread receives and
// restarts; another may send meanwhile.
#pragma once

#include <string>

#include "attune/error.hpp"
#include "base/process_deadline.hpp"
#include "worker/jobs.hpp"

namespace attune {

// A killed worker does not end. Its device is lost, for this process and for others.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

struct Receipt {
  enum class End { replied, died, timed_out } end = End::replied;
  Reply reply;                   // if the worker replied
  std::string why;               // else: "killed by signal 11 (Segmentation fault)", with its last output
  int signal = 0;                // that ended the worker; 0: none, or SIGKILL after a late or damaged reply
  double processor_seconds = 0;  // the processor time that the worker used, once it has ended
};

// If more workers than these die one after the other before they begin a job, the job is to blame all the same: reading
// it may be what kills them.
inline constexpr int most_in_vain = 2;

class Transport {
 public:
  virtual ~Transport() = default;
  // Gives a job to the worker, to be done after its present jobs. Starts a worker where there is none. Waits `seconds`
  // at most until the worker has taken the job. If the worker cannot take it, receive() reports that. Throws Error when
  // no worker can be started.
  virtual void send(const Job& job, double seconds) = 0;
  // Waits for the next reply, until `limit`. After any outcome but a reply the worker is gone, with all its jobs.
  // Throws DeviceLost when a killed worker does not end.
  virtual Receipt receive(TimeLimit limit) = 0;
  // Ends the worker, if there is one, with all its jobs. Throws DeviceLost when it does not end.
  virtual void restart() = 0;
  // Ends a worker with a job under way, so that receive() returns. Any thread may call it.
  virtual void interrupt() noexcept {}
  // Returns whether a fresh worker, free of a kernel's damage, can replace this one.
  virtual bool isolates() const noexcept { return true; }
};

}  // namespace attune
