// Background: one thread for what need not be waited for. It begins with the first job. Any thread adds jobs; ending
// waits for the job that runs and drops the others.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace attune {

class Background {
 public:
  using Job = std::function<void()>;
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();

  // Takes a job, which must not throw.
  void add(Job job);
  // Waits until no job is left or under way.
  void wait();

 private:
  void run(const std::stop_token& stop);
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;
  bool is_busy_ = false;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace attune
