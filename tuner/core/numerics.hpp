// Numerics: how far results are from the expected ones. A plain value.
#pragma once

#include <algorithm>
#include <cstdint>

namespace attune {

// The largest differences over all elements of all outputs, within the tolerance or not.
struct Numerics {
  double max_absolute = 0;    // |actual - expected|
  double max_relative = 0;    // |actual - expected| / |expected|, without expected zeros
  double max_share = 0;       // |actual - expected| / the tolerance that applies; infinite where nothing is tolerated
  std::uint64_t max_ulp = 0;  // in units in the last place of the element type

  void include(const Numerics& other) noexcept {
    max_absolute = std::max(max_absolute, other.max_absolute);
    max_relative = std::max(max_relative, other.max_relative);
    max_share = std::max(max_share, other.max_share);
    max_ulp = std::max(max_ulp, other.max_ulp);
  }
};

}  // namespace attune
