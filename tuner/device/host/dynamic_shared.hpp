// The dynamic shared memory of the block that runs on the calling OS thread. Each OS thread has one buffer at a fixed
// address, because references declared outside functions are bound only once.
#pragma once

#include <cstdint>

namespace attune {

// The most shared memory that a block may have, static included: as much as on the largest current GPUs.
inline constexpr std::uint64_t shared_per_block = 227 * 1024;

// Returns memory aligned to a page, between two inaccessible pages. Throws OutOfMemory.
void* dynamic_shared_of_thread();

// Writes a pattern after the first `bytes` bytes and fences it off. dynamic_shared_intact() returns whether the pattern
// is still there.
void arm_dynamic_shared(std::uint64_t bytes);
bool dynamic_shared_intact(std::uint64_t bytes);

}  // namespace attune
