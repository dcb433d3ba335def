// The line between coordinator and worker: the input is what the other side writes before it closes its end.
#include "worker/process/frames.hpp"

#include <unistd.h>

#include <array>
#include <vector>

#include "fuzz/fuzzed.hpp"
#include "worker/messages/messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  constexpr std::size_t pipe_bytes = 1 << 16;  // a pipe holds so many
  if (size > pipe_bytes) return 0;
  std::array<int, 2> ends{};
  fuzz::require(pipe(ends.data()) == 0 && write(ends[1], data, size) == static_cast<ssize_t>(size), "a pipe");
  close(ends[1]);
  std::vector<std::byte> message;
  while (read_frame(ends[0], message, no_deadline) == FrameEnd::whole)
    fuzz::taken += decode_job(message).has_value() || decode_reply(message).has_value();
  close(ends[0]);
  return 0;
}
