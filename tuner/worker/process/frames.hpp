// Frames: messages over a pipe, each after its length, with a deadline (docs/formats/worker_messages.md). The other
// side is not trusted. A length over the limit, a wrong mark or an early end is an answer, not an exception.
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

// Writes one frame. Descriptors may be non-blocking. `closed`: the other end is closed. SIGPIPE must be ignored.
FrameEnd write_frame(int descriptor, std::span<const std::byte> message, FrameClock::time_point deadline);
// Waits until a frame begins, or the other end is closed: `whole`.
FrameEnd wait_for_frame(int descriptor, ProcessDeadline& deadline);
// Reads one frame; `message` is whole if and only if FrameEnd::whole. Memory grows only as bytes arrive.
FrameEnd read_frame(int descriptor, std::vector<std::byte>& message, FrameClock::time_point deadline);

}  // namespace attune
