// ProcessTransport: a worker in a process of its own, started at the first request and again after each death. What it
// sends is not trusted; one that is late is killed. One thread at a time.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "worker/process/child_process.hpp"
#include "worker/process/frames.hpp"
#include "worker/transport.hpp"

namespace attune {

struct WorkerCommand {
  std::vector<std::string> arguments;  // [0]: path of the executable
  std::string what;                    // for messages: "device worker of cuda:0"
  ChildLimits limits;
};

class ProcessTransport final : public Transport {
 public:
  explicit ProcessTransport(WorkerCommand command) : command_(std::move(command)) {}

  Heard ask(const Request& request, double seconds) override;
  void send(const Request& request, double seconds) override;
  Heard receive(double seconds) override;
  void restart() override;
  void interrupt() noexcept override;
  int started() const noexcept override { return started_; }

 private:
  Heard lose(Heard::End end, const std::string& why);
  Heard lose_for(FrameEnd end, double seconds);
  void end_child();

  const WorkerCommand command_;
  std::unique_ptr<ChildProcess> child_;
  std::mutex running_mutex_;
  pid_t running_ = -1;  // the child, until it is about to be reaped
  int started_ = 0;
  bool deaf_ = false;          // the child reads no more: it ends, or has
  int unanswered_ = 0;         // requests
  std::optional<Heard> lost_;  // what became of a worker that some of them were for
};

}  // namespace attune
