// ProcessTransport: a worker in a process of its own. The process is started at the first job, and again at the first
// job after each death. Its messages are not trusted. A worker whose reply is late is killed.
#pragma once

#include <memory>
#include <mutex>

#include "worker/process/frames.hpp"
#include "worker/process/worker_process.hpp"
#include "worker/transport.hpp"

namespace attune {

class ProcessTransport final : public Transport {
 public:
  explicit ProcessTransport(WorkerCommand command) : command_(std::move(command)) {}

  void send(const Job& job, double seconds) override;
  Receipt receive(TimeLimit limit) override;
  void restart() override;
  void interrupt() noexcept override;

 private:
  Receipt lose(Receipt::End end, const std::string& why);
  void end_child();

  const WorkerCommand command_;
  std::mutex mutex_;  // guards child_, because one thread sends while another receives
  std::unique_ptr<WorkerProcess> child_;
  std::mutex running_mutex_;
  pid_t running_ = -1;  // the child, until it is about to be reaped
};

}  // namespace attune
