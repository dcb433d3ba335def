// Counters of one launch: from a file that NVIDIA's profiler wrote, or by running the profiler (ncu). It counts and
// never times: a replayed launch takes as long as it likes.
#pragma once

#include <optional>
#include <string>

#include "advice/counters.hpp"

namespace attune::cli {

// Whose launch is counted, as `attune check` takes it.
struct CountedSubject {
  std::string kernel, problem, configuration, device;
  std::string entry;               // of the first launch step, without template arguments: "matmul"
  bool has_others_before = false;  // this entry is launched before, to make what is expected
};

struct CountedLaunch {
  std::optional<Counters> counters;
  std::string why_not;  // and what to do about it; "" if there are counters
};

// Returns the path of ncu: of $ATTUNE_NCU, else in PATH, else CUDA's; "" where there is none.
std::string find_profiler();

// Runs the profiler on `attune check`. Throws nothing that the profiler or the kernel is to blame for.
CountedLaunch count_launch(const std::string& profiler, const CountedSubject& subject);

// Reads what `ncu --csv --page raw` has printed. Throws UsageError.
Counters counters_of_file(const std::string& file);

}  // namespace attune::cli
