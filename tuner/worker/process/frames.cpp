#include "worker/process/frames.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/archive.hpp"
#include "base/byte_stream.hpp"

namespace attune {
namespace {

constexpr std::uint32_t frame_mark = 0x6b777461;  // "atwk"
constexpr std::size_t head_bytes = 8;             // mark, length
constexpr std::size_t piece_bytes = 1 << 20;

// Returns the milliseconds to pass to poll(): -1 without a deadline, 0 when the deadline is over.
int left_until(FrameClock::time_point deadline) {
  if (deadline == no_deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - FrameClock::now()).count();
  return static_cast<int>(std::clamp<decltype(left)>(left, 0, 1 << 30));
}

FrameEnd wait_for(int descriptor, short what, FrameClock::time_point deadline) {
  for (;;) {
    pollfd wait{descriptor, what, 0};
    const int ready = poll(&wait, 1, left_until(deadline));
    if (ready > 0) return FrameEnd::whole;
    if (ready == 0) return FrameEnd::timed_out;
    if (errno != EINTR) return FrameEnd::closed;
  }
}

FrameEnd write_all(int descriptor, std::span<const std::byte> bytes, FrameClock::time_point deadline) {
  while (!bytes.empty()) {
    if (const FrameEnd end = wait_for(descriptor, POLLOUT, deadline); end != FrameEnd::whole) return end;
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0) return FrameEnd::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return FrameEnd::whole;
}

FrameEnd read_all(int descriptor, std::span<std::byte> bytes, FrameClock::time_point deadline) {
  while (!bytes.empty()) {
    if (const FrameEnd end = wait_for(descriptor, POLLIN, deadline); end != FrameEnd::whole) return end;
    const ssize_t count = read(descriptor, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count <= 0) return FrameEnd::closed;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return FrameEnd::whole;
}

}  // namespace

FrameEnd write_frame(int descriptor, std::span<const std::byte> message, FrameClock::time_point deadline) {
  if (message.size() > max_message_bytes) return FrameEnd::damaged;
  ByteWriter frame;
  frame.number(frame_mark);
  frame.number(static_cast<std::uint32_t>(message.size()));
  frame.raw(message);
  return write_all(descriptor, frame.take(), deadline);
}

FrameEnd wait_for_frame(int descriptor, ProcessDeadline& deadline) {
  for (;;) {
    pollfd wait{descriptor, POLLIN, 0};
    const int left = deadline.milliseconds_left(), ready = poll(&wait, 1, left);
    if (ready > 0) return FrameEnd::whole;
    if (ready < 0 && errno != EINTR) return FrameEnd::closed;
    if (left == 0) return FrameEnd::timed_out;
  }
}

FrameEnd read_frame(int descriptor, std::vector<std::byte>& message, FrameClock::time_point deadline) {
  std::array<std::byte, head_bytes> head{};
  if (const FrameEnd end = read_all(descriptor, head, deadline); end != FrameEnd::whole) return end;
  ByteReader reader(head);
  const auto mark = reader.number<std::uint32_t>();
  const auto length = reader.number<std::uint32_t>();
  if (mark != frame_mark || length > max_message_bytes) return FrameEnd::damaged;
  message.clear();
  while (message.size() < length) {
    const std::size_t begin = message.size();
    message.resize(begin + std::min<std::size_t>(piece_bytes, length - begin));
    const FrameEnd end = read_all(descriptor, std::span(message).subspan(begin), deadline);
    if (end != FrameEnd::whole) return end;
  }
  return FrameEnd::whole;
}

}  // namespace attune
