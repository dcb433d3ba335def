// LaunchShape: how one step is launched. A plain value.
#pragma once

#include <array>
#include <cstdint>

namespace attune {

struct LaunchShape {
  std::array<std::uint32_t, 3> grid = {1, 1, 1};
  std::array<std::uint32_t, 3> block = {1, 1, 1};
  std::uint64_t shared_bytes = 0;                    // dynamic
  std::array<std::uint32_t, 3> cluster = {1, 1, 1};  // blocks that run at the same time and share their shared memory
  bool overlaps = false;                             // may begin while the preceding launch runs
  bool cooperative = false;                          // all blocks run at the same time, or none
  std::uint64_t blocks() const noexcept { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  std::uint32_t cluster_blocks() const noexcept { return cluster[0] * cluster[1] * cluster[2]; }
  friend bool operator==(const LaunchShape&, const LaunchShape&) = default;
};

}  // namespace attune
