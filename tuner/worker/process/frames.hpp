// Frames: messages over a pipe, each behind its length, with a deadline (docs/formats/worker_messages.md). Nothing is
// believed of the other side: a length over the limit, a wrong mark or an early end is an answer, not an exception.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace attune {

enum class FrameEnd { whole, closed, damaged, timed_out };

using FrameClock = std::chrono::steady_clock;
constexpr FrameClock::time_point no_deadline = FrameClock::time_point::max();

// Writes one frame. Descriptors may be non-blocking. `closed`: nobody reads any more. SIGPIPE must be ignored.
FrameEnd write_frame(int descriptor, std::span<const std::byte> message, FrameClock::time_point deadline);
// Reads one frame; `message` is whole if and only if FrameEnd::whole. Memory grows only as bytes arrive.
FrameEnd read_frame(int descriptor, std::vector<std::byte>& message, FrameClock::time_point deadline);

}  // namespace attune
