// Strands: threads of which one runs at a time, until it waits for a result. So code that waits for one worker after
// the other is done for several workers side by side, and its threads share all data without locks of their own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <vector>

namespace attune {

class Strands {
 public:
  // `mutex` guards the object; `changed` wakes those that wait. Both must outlive it.
  Strands(std::mutex& mutex, std::condition_variable& changed) : mutex_(mutex), changed_(changed) {}

  // Does the parts, each on a thread of its own, and returns when all have ended. The first runs first. Parts must not
  // throw. Where no more threads can be started, the calling thread does the parts that are left.
  void run(const std::vector<std::function<void()>>& parts);

  // While it lives, the calling strand waits, and another may run. Made and destroyed with the mutex held; destroyed
  // only when may_go_on().
  class Pause {
   public:
    explicit Pause(Strands& strands) : strands_(strands) {
      --strands_.running_;
      strands_.changed_.notify_all();
    }
    ~Pause() { ++strands_.running_; }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    Strands& strands_;
  };
  // Returns whether a strand that waits may go on: all others wait too, and each has begun.
  bool may_go_on() const { return running_ == 0 && begun_ == count_; }

 private:
  void run_one(std::size_t number, const std::function<void()>& part);

  std::mutex& mutex_;
  std::condition_variable& changed_;
  std::size_t running_ = 1;  // the calling thread of run() counts, but does not run meanwhile
  std::size_t count_ = 0, begun_ = 0;
};

}  // namespace attune
