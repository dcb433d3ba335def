// BoardResult: what the final stage measured of the winner on one of several boards. A plain value.
#pragma once

#include <cstdint>
#include <string>

namespace attune {

struct BoardResult {
  std::string uuid;
  std::int64_t rounds = 0;  // of the final stage that count
  double median_ns = 0;     // of these rounds; 0: none
  double speedup = 1;       // default / best, there alone
  friend bool operator==(const BoardResult&, const BoardResult&) = default;
};

}  // namespace attune
