// ProcessDeadline: the end of the time that a process may take. On a busy machine a sound process takes many times as
// long as alone. Therefore the time in which it could run but had no processor can be left out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>

namespace attune {

// A limit in seconds of wall time. `forgives_waiting`: the seconds in which the process and its descendants wait for a
// processor do not count.
struct TimeLimit {
  TimeLimit(double of_seconds, bool of_work = false) : seconds(of_seconds), forgives_waiting(of_work) {}
  double seconds = 0;
  bool forgives_waiting = false;
};

// The threads of a process and its descendants: the processor time that they had since the last look, and how many of
// them run or wait for a processor now.
struct ThreadLoad {
  double ran_seconds = 0;
  int runnable = 0;
};

// Returns how many of the `seconds` since the last look count. If threads are runnable, only seconds in which they ran
// count: their processor time divided by the number of them that can run at once. Waiting for each other on too few
// processors is not forgiven.
double seconds_spent(double seconds, const ThreadLoad& threads, int processors);

class ProcessDeadline {
 public:
  // The time of `process` and of the processes that it starts begins now. What they do is read from
  // /proc/PID/task/TID/schedstat; where that is missing, wall time counts.
  ProcessDeadline(pid_t process, TimeLimit limit);
  // Returns how many milliseconds to wait before the next call, as poll() takes them; 0: the time is over.
  int milliseconds_left();

 private:
  using Clock = std::chrono::steady_clock;
  ThreadLoad look();
  void look_at(pid_t process, std::map<pid_t, std::uint64_t>& ran_ns, ThreadLoad& seen) const;

  const pid_t process_;
  const TimeLimit limit_;
  const int processors_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point looked_ = begin_;
  double spent_ = 0;                       // seconds, at the last look
  std::map<pid_t, std::uint64_t> ran_ns_;  // of each thread
};

}  // namespace attune
