// Recordings of other tuners: Kernel Tuner caches and T4 results.
#include "attune/error.hpp"
#include "fuzz/fuzzed.hpp"
#include "recordings/recording_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace attune;
  fuzz::read_or_refuse<UsageError>([&] {
    for (const Recording& recording : read_recordings(std::string(fuzz::text_of(data, size)), "fuzzed.json")) {
      fuzz::require(!recording.trials.empty(), "a recording has a trial");
      for (const RecordedTrial& trial : recording.trials)
        for (std::size_t i = 0; i < recording.parameters.size(); ++i)
          fuzz::require(trial.row.at(i) < recording.parameters[i].values.size(), "a row has values of its parameters");
    }
  });
  return 0;
}
