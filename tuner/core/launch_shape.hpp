// LaunchShape: how one step is launched. A plain value.
#pragma once

#include <array>
#include <cstdint>

namespace attune {

struct LaunchShape {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint64_t shared_bytes = 0;  // dynamic
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

}  // namespace attune
