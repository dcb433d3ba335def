// T1 documents: search spaces of other tuners.
#include "attune/error.hpp"
#include "fuzz/fuzzed.hpp"
#include "spec/t1_space.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  fuzz::read_or_refuse<UsageError>([&] { read_t1_space(fuzz::text_of(data, size), "fuzzed.json"); });
  return 0;
}
