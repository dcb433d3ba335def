// Tuned files: what is read can be written, and is then read without damage.
#include "attune/error.hpp"
#include "fuzz/fuzzed.hpp"
#include "tuned/tuned_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  fuzz::read_or_refuse<Error>([&] {
    const TunedText read = read_tuned_text(fuzz::text_of(data, size), "fuzzed.tuned");
    for (const auto& [name, text] : tuned_files(read.records, read.covers)) {
      const TunedText again = read_tuned_text(text, name);
      fuzz::require(again.damage.empty() && again.unknown == 0, "what is written is read");
    }
  });
  return 0;
}
