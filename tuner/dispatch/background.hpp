// Background: one thread for jobs that need not be waited for. The thread starts with the first job. Any thread may add
// jobs. The destructor waits for the job that runs and drops the others.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace attune {

class Background {
 public:
  using Job = std::function<void()>;
  using Clock = std::chrono::steady_clock;
  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;
  ~Background();

  // Takes a job, which must not throw. Throws Error when no thread can be started; the job is not taken then.
  void add(Job job);
  // Takes a job that runs at `when` or later. There is one such job at most: a further one replaces it. Throws Error
  // when no thread can be started.
  void set_later(Clock::time_point when, Job job);
  // Waits until no job of add() is left or under way.
  void wait();

 private:
  struct Later {
    Clock::time_point when;
    Job job;
  };
  void start();
  void changed();
  void run(const std::stop_token& stop);
  std::optional<Job> next();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t changes_ = 0;
  std::deque<Job> jobs_;
  std::optional<Later> later_;
  bool is_busy_ = false;
  std::jthread thread_;  // last: it ends before what it uses
};

}  // namespace attune
