// MultiprocessorLimits: what one multiprocessor holds at a time, and in which units it gives that away. A plain value.
#pragma once

#include <cstdint>
#include <optional>

#include "attune/device_info.hpp"

namespace attune {

struct MultiprocessorLimits {
  int compute_capability = 0;  // 10 * major + minor
  int max_threads = 0, max_warps = 0, max_blocks = 0;
  int registers = 0, registers_per_block = 0, max_registers_per_thread = 0;
  int max_threads_per_block = 0;
  std::uint64_t shared_bytes = 0;      // of the multiprocessor
  std::uint64_t shared_per_block = 0;  // the opt-in maximum, static and dynamic together
  std::uint64_t shared_reserved = 0;   // of each block, beside those
  std::uint64_t shared_unit = 0;       // a block's shared memory is rounded up to a multiple of this
  int register_unit = 0;               // the registers of a warp, or of a block, are rounded up to a multiple of this
  bool registers_by_block = false;     // 1.x: a block's registers are one piece
  int warp_unit =
      0;  // a multiprocessor's parts with registers of their own; 1.x: what a block's warps are rounded up to
};

// Returns the limits of a compute capability from 1.0 to 12.1; nothing for one that is not published.
std::optional<MultiprocessorLimits> multiprocessor_limits(int compute_capability);
// Returns the figures that the device has told, with the units of its compute capability, or of the newest known before
// it. Returns nothing for a device that is no GPU.
std::optional<MultiprocessorLimits> multiprocessor_limits(const DeviceInfo& device);

}  // namespace attune
