// Cached images: the payload behind the digest, and the whole file as it is.
#include "core/image.hpp"

#include <algorithm>

#include "fuzz/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const auto bytes = fuzz::bytes_of(data, size);
  fuzz::taken += deserialise(bytes).has_value();
  if (const auto image = image_of_payload(bytes)) {
    fuzz::require(std::ranges::equal(image_payload(*image), bytes), "an image has one form");
    fuzz::require(deserialise(serialise(*image)).has_value(), "an image that is read can be written and read");
    static_cast<void>(image->largest_usage());
    ++fuzz::taken;
  }
  return 0;
}
