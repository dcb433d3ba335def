// Recording: measurements of all or some configurations of a kernel for one problem on one device. A plain value.
// tuner/recordings/ reads the files of several tools into it; replays and attune-score run on it.
#pragma once

#include <string>
#include <vector>

#include "attune/search_space.hpp"
#include "core/verdict.hpp"

namespace attune {

struct RecordedTrial {
  Row row;  // positions in Recording::parameters
  Verdict verdict = Verdict::ok;
  std::string detail;              // how it failed
  double median_ns = 0;            // its time according to the file; > 0 for an ok trial
  std::vector<double> samples_ns;  // single launches; may be empty
  // What the trial cost, in seconds; 0 where the file has no such time.
  double compile_s = 0, launches_s = 0, framework_s = 0, search_s = 0, validation_s = 0;
  double cost_s() const { return compile_s + launches_s + framework_s + search_s + validation_s; }
};

struct Recording {
  std::string source;   // the file, for messages
  std::string tool;     // whose format the file has: "Kernel Tuner", "T4 results", "attune"
  std::string kernel;   // an identifier
  std::string device;   // as the file names it; the name of the file if it names none
  std::string problem;  // the sizes as the file writes them, or ""
  std::vector<Parameter> parameters;
  std::vector<RecordedTrial> trials;  // in the order of the file, each configuration once
};

SearchSpace space_of(const Recording& recording);

}  // namespace attune
