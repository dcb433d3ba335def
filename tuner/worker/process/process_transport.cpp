#include "worker/process/process_transport.hpp"

#include <fmt/format.h>
#include <signal.h>

#include "attune/error.hpp"
#include "worker/messages/messages.hpp"
#include "worker/process/frames.hpp"

namespace attune {
namespace {

// A process that still exists so long after SIGKILL hangs in the driver. This program cannot end it.
constexpr double seconds_after_kill = 30;

// The least time within which a message must be complete, once it began.
constexpr double write_seconds = 10;

// A deadline later than this counts as none.
constexpr double longest_seconds = 1e8;

FrameClock::time_point in(double seconds) {
  return FrameClock::now() + std::chrono::duration_cast<FrameClock::duration>(
                                 std::chrono::duration<double>(std::min(seconds, longest_seconds)));
}

}  // namespace

void ProcessTransport::end_child() {
  if (child_ == nullptr) return;
  {
    const std::lock_guard lock(running_mutex_);
    running_ = -1;
  }
  if (child_->kill(seconds_after_kill)) return;
  throw DeviceLost(fmt::format(
      "the {} was killed {:.0f} s ago and still exists: the device is lost. Nothing can be measured on it until it is "
      "reset or the machine is restarted. The trials are kept; the same command then continues with them",
      command_.what, seconds_after_kill));
}

Receipt ProcessTransport::lose(Receipt::End end, const std::string& why) {
  const std::lock_guard lock(mutex_);
  end_child();
  const std::string printed = child_->last_output();
  Receipt received{
      end, {}, why.empty() ? child_->how_it_ended() : why, child_->ending_signal(), child_->processor_seconds()};
  if (!printed.empty()) received.why += "; the last that it printed:\n" + printed;
  child_.reset();
  return received;
}

void ProcessTransport::send(const Job& job, double seconds) {
  const std::lock_guard lock(mutex_);
  if (child_ == nullptr) {
    child_ = std::make_unique<WorkerProcess>(command_);
    const std::lock_guard running(running_mutex_);
    running_ = child_->number();
  }
  child_->last_output();  // makes room for new output
  // A failure to write is not reported here. The worker's earlier answers are still to be received, and show which job
  // killed it.
  write_frame(child_->jobs(), encode(job), in(seconds));
}

Receipt ProcessTransport::receive(TimeLimit limit) {
  if (child_ == nullptr) return {Receipt::End::died, {}, "ended"};
  std::vector<std::byte> message;
  ProcessDeadline deadline(child_->number(), limit);
  FrameEnd end = wait_for_frame(child_->replies(), deadline);
  // A worker writes a whole message at once, so a message that began within the limit is waited for.
  if (end == FrameEnd::whole) end = read_frame(child_->replies(), message, in(std::max(limit.seconds, write_seconds)));
  if (end == FrameEnd::timed_out)
    return lose(Receipt::End::timed_out, fmt::format("no answer within {:.3g} s{}; killed", limit.seconds,
                                                     limit.forgives_waiting ? " that it could run" : ""));
  if (end == FrameEnd::closed) return lose(Receipt::End::died, "");
  std::optional<Reply> reply = end == FrameEnd::whole ? decode_reply(message) : std::nullopt;
  if (!reply) return lose(Receipt::End::died, "sent a damaged message; killed");
  return {Receipt::End::replied, std::move(*reply), {}};
}

void ProcessTransport::interrupt() noexcept {
  const std::lock_guard lock(running_mutex_);
  // With its process group, where a shell may have started the worker. The group may not be there yet.
  if (running_ > 0 && kill(-running_, SIGKILL) != 0) kill(running_, SIGKILL);
}

void ProcessTransport::restart() {
  if (child_ != nullptr) lose(Receipt::End::died, "ended");
}

}  // namespace attune
