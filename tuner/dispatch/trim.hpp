// Trimming: drops code and scratch memory that was not used since the last time. What was used stays, and so does what
// the application holds.
#pragma once

#include <cstdint>
#include <span>

#include "attune/dispatcher.hpp"
#include "dispatch/held_memory.hpp"
#include "dispatch/kernel_entries.hpp"

namespace attune {

// What was dropped.
struct TrimResult {
  std::uint64_t images = 0, scratch = 0;  // images, scratch arrays
};

// Retires plans whose code is to be dropped, until no more than the limit is left, and frees scratch memory likewise.
// The code is freed with the retired plans. One thread at a time; launches may go on.
TrimResult trim_plans(std::span<KernelEntries* const> kernels, const HeldMemory& held, const MemoryLimits& limits);

}  // namespace attune
