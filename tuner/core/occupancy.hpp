// Occupancy: how many blocks of a launch a multiprocessor holds at a time, which limit says so, and what the next step
// costs. Clusters are not regarded: a launch in clusters may hold fewer.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/multiprocessor_limits.hpp"
#include "core/trial.hpp"

namespace attune {

struct BlockUse {
  int threads = 1;
  int registers = 0;               // per thread; 0: not known, limits nothing
  std::uint64_t shared_bytes = 0;  // static and dynamic
};

BlockUse block_use(const LaunchShape& shape, const ResourceUsage& usage);
// Returns the use of a trial's launch. Returns nothing where the trial has not stored that: of several launch steps, or
// of a kernel with [[verify]] steps, it has the registers of the step that takes most; of PTX it has none.
std::optional<BlockUse> block_use_of(const Trial& trial, bool has_verify_steps);

enum class Limiter { threads, blocks, registers, shared };  // in the order of Occupancy::blocks_by

struct Occupancy {
  int blocks = 0, warps = 0, max_warps = 0;
  std::array<int, 4> blocks_by{};  // how many blocks each limit allows; INT_MAX where it limits nothing
  std::vector<Limiter> limiters;   // those that allow the fewest
  double share() const noexcept { return max_warps == 0 ? 0 : static_cast<double>(warps) / max_warps; }
  int by(Limiter limiter) const noexcept { return blocks_by[static_cast<std::size_t>(limiter)]; }
};

// Returns no blocks for a block that does not fit at all.
Occupancy occupancy_of(const BlockUse& use, const MultiprocessorLimits& limits);

// The nearest other amount of what limits that makes more warps fit: fewer registers, fewer bytes, fewer threads; more
// threads where the number of blocks limits.
struct OccupancyStep {
  Limiter limiter = Limiter::threads;
  std::uint64_t amount = 0;
  int blocks = 0, warps = 0;
};
// Returns nothing where no single amount helps, and for full multiprocessors.
std::optional<OccupancyStep> next_step(const BlockUse& use, const MultiprocessorLimits& limits);

std::string_view to_text(Limiter limiter) noexcept;  // "threads", "blocks", "registers", "shared memory"
std::string to_text(const Occupancy& occupancy);     // "50 %, limited by registers"
// Returns "56 registers: 5 blocks instead of 4", or "64 threads: 64 warps instead of 32" where no block is added.
std::string to_text(const OccupancyStep& step, const Occupancy& now);
// Returns "50 % (4 blocks of 256 threads), limited by registers; 56 registers: 5 blocks instead of 4".
std::string occupancy_text(const BlockUse& use, const MultiprocessorLimits& limits);

}  // namespace attune
