// Frames: messages over a pipe, each with its length before it, and with deadlines (docs/formats/worker_messages.md).
// The other side is not trusted. A length over the limit, a wrong mark or an early end is a result, not an exception.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "base/process_deadline.hpp"

namespace attune {

enum class FrameEnd { whole, closed, damaged, timed_out };

using FrameClock = std::chrono::steady_clock;
constexpr FrameClock::time_point no_deadline = FrameClock::time_point::max();

// Writes one frame. Descriptors may be non-blocking. Returns `closed` when the other end is closed, and `damaged` for a
// message over the limit, which is not written. SIGPIPE must be ignored.
FrameEnd write_frame(int descriptor, std::span<const std::byte> message, FrameClock::time_point deadline);
// Waits until there is something to read: returns `whole` when a frame begins or the other end is closed.
FrameEnd wait_for_frame(int descriptor, ProcessDeadline& deadline);
// Reads one frame. `message` is complete if and only if `whole` is returned. Memory is taken only as bytes arrive.
FrameEnd read_frame(int descriptor, std::vector<std::byte>& message, FrameClock::time_point deadline);

}  // namespace attune
