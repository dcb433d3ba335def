// Sweep: every value of one size or integer of the problem. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace attune {

struct Sweep {
  std::string name;
  std::int64_t first = 0, last = 0;  // both inclusive
};

// Reads "offset=0..32". Throws UsageError for another form, for bounds in the wrong order, and for more than 1,000
// values.
Sweep parse_sweep(std::string_view text);

}  // namespace attune
