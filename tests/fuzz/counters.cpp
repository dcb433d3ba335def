// The profiler's output: CSV with lines of the profiled program around it.
#include "advice/counters.hpp"

#include "attune/error.hpp"
#include "fuzz/fuzzed.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  fuzz::read_or_refuse<UsageError>([&] { read_counters(fuzz::text_of(data, size), "fuzzed.csv"); });
  return 0;
}
