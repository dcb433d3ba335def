// DirectTransport: a worker without a process of its own, for programs that trust their kernels, and for tests. A
// kernel's damage hits this process. The thread that calls receive() does the jobs.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <mutex>

#include "worker/transport.hpp"

namespace attune {

class DirectTransport final : public Transport {
 public:
  using AnswerFunction = std::function<Reply(const Job&)>;
  explicit DirectTransport(AnswerFunction answer) : answer_(std::move(answer)) {}

  void send(const Job& job, double) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(job);
  }
  Receipt receive(TimeLimit) override {
    const auto begin = std::chrono::steady_clock::now();
    Receipt received{Receipt::End::replied, answer_(take()), {}};
    received.reply.worked_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return received;
  }
  // Drops all jobs. It cannot start a fresh worker, so a device that is unusable stays unusable.
  void restart() override {
    const std::lock_guard lock(mutex_);
    jobs_.clear();
  }
  bool isolates() const noexcept override { return false; }

 private:
  Job take() {
    const std::lock_guard lock(mutex_);
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    return job;
  }

  const AnswerFunction answer_;
  std::mutex mutex_;
  std::deque<Job> jobs_;
};

}  // namespace attune
