// Ceiling: a rate that a device reached when it was measured, or the cost of measuring on that device. A plain value.
#pragma once

#include <cstdint>
#include <string>

namespace attune {

struct Ceiling {
  std::string name;    // "copy", "read", "fma float", "launch", ...: docs/measuring.md
  double value = 0;    // more than 0
  std::string unit;    // "B/s", "FLOP/s", "ns"
  std::string detail;  // how it was reached
  std::string driver, attune_version;
  std::int64_t made_ms = 0;  // Unix time, milliseconds
};

}  // namespace attune
