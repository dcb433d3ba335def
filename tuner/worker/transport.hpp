// Transport: the seam between a coordinator and one worker: jobs go out, replies come back. A worker may answer late,
// never, or with nonsense, and may die: all these are outcomes, without exceptions. One thread receives and restarts;
// another may send meanwhile.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "attune/error.hpp"
#include "base/process_deadline.hpp"
#include "worker/jobs.hpp"

namespace attune {

// A killed worker that does not end: its device is lost, for this process and others.
class DeviceLost : public Error {
 public:
  using Error::Error;
};

struct Received {
  enum class End { replied, died, timed_out } end = End::replied;
  Reply reply;                   // if it replied
  std::string why;               // else: "killed by signal 11 (Segmentation fault)", with its last output
  int signal = 0;                // that ended it
  double processor_seconds = 0;  // that it used, where a signal ended it
};

// A job that so many workers die before, one after the other, is to blame all the same: it may be what they read.
inline constexpr int most_in_vain = 2;

class Transport {
 public:
  virtual ~Transport() = default;
  // Gives a job to the worker, after its present jobs; starts a worker where there is none. Waits `seconds` at most
  // until the worker has taken it. If the worker cannot, receive() reports it. Throws Error when none can be started.
  virtual void send(const Job& job, double seconds) = 0;
  // Waits for the next reply, until `limit`. After anything but a reply the worker is gone, with all its jobs.
  // Throws DeviceLost when a killed worker does not end.
  virtual Received receive(TimeLimit limit) = 0;
  // Ends the worker, if there is one, with all its jobs. Throws DeviceLost.
  virtual void restart() = 0;
  // Ends a worker with a job under way, so that receive() returns. Any thread may call it.
  virtual void interrupt() noexcept {}
  // Returns whether a fresh worker can replace it, free of a kernel's damage.
  virtual bool isolates() const noexcept { return true; }
};

// Waits for the answer to the only job under way: `to_begin` until the worker begins it, then `limit`, then
// `of_reference` where it says that its reference begins. Sets `begun` once it began.
Received receive_answer(Transport& worker, TimeLimit to_begin, TimeLimit limit, TimeLimit of_reference,
                        std::optional<std::chrono::steady_clock::time_point>& begun);

}  // namespace attune
