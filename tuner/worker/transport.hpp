// Transport: the seam between a coordinator and one worker: a request goes out, what came of it comes back. A worker
// may answer late, never, or with nonsense, and may die: all of that is told, nothing is thrown for it. One thread at a
// time.
#pragma once

#include <deque>
#include <string>

#include "attune/error.hpp"
#include "worker/messages/messages.hpp"

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
  // Waits for the reply at most so long. After anything but a reply the worker is gone; the next call starts another.
  // Throws Error when none can be started, DeviceLost when one that was killed does not end.
  virtual Heard ask(const Request& request, double seconds) = 0;
  // ask() in two halves, for a caller with something to do while the worker is at work. Answers come in the order of
  // requests, one for each, also after a death: then every one tells it. Nothing else is asked in between. One without
  // a worker elsewhere answers before send() returns.
  virtual void send(const Request& request, double seconds) {
    const bool lost = !heard_.empty() && heard_.back().end != Heard::End::replied;
    heard_.push_back(lost ? Heard(heard_.back()) : ask(request, seconds));
  }
  virtual Heard receive(double /*seconds*/) {
    Heard heard = std::move(heard_.front());
    heard_.pop_front();
    return heard;
  }
  // Ends the worker, if there is one: the next call starts another.
  virtual void restart() = 0;
  // Ends a worker that is being asked, if there is one, so that ask() returns. Any thread may call it.
  virtual void interrupt() noexcept {}
  // Whether a worker can be replaced by a fresh one, which knows nothing of what a kernel did to the last.
  virtual bool isolates() const noexcept { return true; }
  // Workers started so far.
  virtual int started() const noexcept = 0;

 private:
  std::deque<Heard> heard_;
};

}  // namespace attune
