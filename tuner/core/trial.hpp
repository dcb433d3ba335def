// Trial: one configuration tried once, with its verdict and measurement. A plain value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attune/bindings.hpp"
#include "core/image.hpp"
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
  std::string detail;       // the compiler's log, the fault, the first wrong element; "" when ok
  Measurement measurement;  // empty unless ok
  double compile_ms = 0;
  ResourceUsage usage;        // of the step that uses the most registers
  Numerics numerics;          // of all checks
  bool self_checked = false;  // compared with the default configuration, for want of a reference
  double anchor_ns = 0;       // the anchor's median nearest in time; 0 if it was not timed
  int batch = 1;              // launches that a sample is the mean of
  int attempts = 1;           // how often it was begun, the time that gave the verdict included
};

}  // namespace attune
