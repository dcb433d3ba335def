// Trial: one configuration tried once, with its verdict and measurement. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attune/bindings.hpp"
#include "core/image.hpp"
#include "core/launch_shape.hpp"
#include "core/numerics.hpp"
#include "core/verdict.hpp"

namespace attune {

struct Measurement {
  std::vector<double> samples_ns;
  double min_ns = 0, q1_ns = 0, median_ns = 0, q3_ns = 0;
};

struct Trial {
  Configuration configuration;
  Verdict verdict = Verdict::ok;
  std::string detail;  // the compiler's log, the fault, the first wrong element; if ok, warnings of lost performance
  Measurement measurement;  // empty unless ok
  double compile_ms = 0;
  ResourceUsage usage;              // of the step that uses the most registers
  Numerics numerics;                // of all checks
  bool self_checked = false;        // compared with the default configuration, because the kernel has no reference
  double anchor_ns = 0;             // the anchor's median that was measured nearest in time; 0: not timed
  int batch = 1;                    // launches per sample
  int attempts = 1;                 // how often it was begun, including the last time
  std::int64_t made_ms = 0;         // Unix time of the verdict, milliseconds; 0: not known
  int worker = 0;                   // number of the device worker that gave the verdict, from 1; 0: none, or not known
  std::vector<LaunchShape> shapes;  // one for each launch step, in order; empty: not known
  int deaths = 0;                   // worker processes that died of this trial; two deaths quarantine the configuration
  std::string board;                // UUID of the device that gave the verdict; "": none, or not known
};

}  // namespace attune
