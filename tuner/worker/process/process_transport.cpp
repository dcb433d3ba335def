#include "worker/process/process_transport.hpp"

#include <fmt/format.h>
#include <signal.h>

#include "attune/error.hpp"
#include "worker/process/frames.hpp"

namespace attune {
namespace {

// A process that is still there so long after SIGKILL hangs in the driver: nothing of ours will end it.
constexpr double kSecondsAfterKill = 30;

// A deadline further off than this is none.
constexpr double kLongestSeconds = 1e8;

FrameClock::time_point in(double seconds) {
  return FrameClock::now() + std::chrono::duration_cast<FrameClock::duration>(
                                 std::chrono::duration<double>(std::min(seconds, kLongestSeconds)));
}

}  // namespace

void ProcessTransport::end_child() {
  if (child_ == nullptr) return;
  {
    const std::lock_guard lock(running_mutex_);
    running_ = -1;
  }
  if (child_->kill(kSecondsAfterKill)) return;
  throw DeviceLost(fmt::format(
      "the {} was killed {:.0f} s ago and still exists: the device is lost. Nothing can be measured on it until it is "
      "reset or the machine is restarted; what was tried by then is kept, and the same command goes on with it",
      command_.what, kSecondsAfterKill));
}

Heard ProcessTransport::lose(Heard::End end, const std::string& why) {
  end_child();
  const std::string printed = child_->last_output();
  Heard heard{end, {}, why.empty() ? child_->how_it_ended() : why};
  if (!printed.empty()) heard.why += "; the last that it printed:\n" + printed;
  child_.reset();
  deaf_ = false;
  if (unanswered_ > 0) lost_ = heard;
  return heard;
}

Heard ProcessTransport::ask(const Request& request, double seconds) {
  send(request, seconds);
  return receive(seconds);
}

void ProcessTransport::send(const Request& request, double seconds) {
  if (lost_ || deaf_) {  // told by receive()
    ++unanswered_;
    return;
  }
  if (child_ == nullptr) {
    child_ = std::make_unique<ChildProcess>(command_.arguments, command_.limits);
    ++started_;
    const std::lock_guard lock(running_mutex_);
    running_ = child_->number();
  }
  child_->last_output();  // makes room for what it prints now
  const std::vector<std::byte> message = encode(request);
  ++unanswered_;
  const FrameEnd end = write_frame(child_->requests(), message, in(seconds));
  // What it answered before it closed its end is worth hearing: it tells which request it died of.
  if (end == FrameEnd::closed)
    deaf_ = true;
  else if (end != FrameEnd::whole)
    lose_for(end, seconds);
}

Heard ProcessTransport::receive(double seconds) {
  --unanswered_;
  if (lost_) {
    const Heard heard = *lost_;
    if (unanswered_ == 0) lost_.reset();
    return heard;
  }
  std::vector<std::byte> message;
  const FrameEnd end = read_frame(child_->replies(), message, in(seconds));
  if (end != FrameEnd::whole) return lose_for(end, seconds);
  std::optional<Reply> reply = decode_reply(message);
  if (!reply) return lose_for(FrameEnd::damaged, seconds);
  return {Heard::End::replied, std::move(*reply), {}};
}

Heard ProcessTransport::lose_for(FrameEnd end, double seconds) {
  if (end == FrameEnd::timed_out)
    return lose(Heard::End::timed_out, fmt::format("no answer within {:.3g} s; killed", seconds));
  return lose(Heard::End::died, end == FrameEnd::closed ? "" : "sent a damaged message; killed");
}

void ProcessTransport::interrupt() noexcept {
  const std::lock_guard lock(running_mutex_);
  if (running_ > 0) kill(running_, SIGKILL);
}

void ProcessTransport::restart() {
  if (child_ != nullptr) lose(Heard::End::died, "ended");
}

}  // namespace attune
