// Bindings as databases and files of misses hold them: what is read is written as it was.
#include "core/bindings_json.hpp"
#include "fuzz/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  const std::string_view text = fuzz::text_of(data, size);
  if (const auto bindings = bindings_of_json(text)) {
    fuzz::require(bindings_json(*bindings) == text, "bindings have one text");
    ++fuzz::taken;
  }
  return 0;
}
