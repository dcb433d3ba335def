// Messages between coordinator and workers: what is taken is that message's and no other's.
#include <algorithm>

#include "fuzz/fuzzed.hpp"
#include "worker/messages/messages.hpp"

namespace attune::fuzz {

static void take(const auto& message, std::span<const std::byte> bytes) {
  if (!message) return;
  require(std::ranges::equal(encode(*message), bytes), "a message has one form");
  ++taken;
}

}  // namespace attune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const auto bytes = fuzz::bytes_of(data, size);
  fuzz::take(decode_job(bytes), bytes);
  fuzz::take(decode_reply(bytes), bytes);
  return 0;
}
