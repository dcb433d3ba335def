// The dynamic shared memory of the block that runs on the calling OS thread. One buffer per OS thread, at one address
// as long as that lives: references that kernels declare outside of functions are bound once.
#pragma once

#include <cstdint>

namespace attune {

// The most that a launch may ask for, with its static shared memory: as on the largest current GPUs.
inline constexpr std::uint64_t shared_per_block = 227 * 1024;

// Aligned to a page, between two pages that cannot be accessed. Throws OutOfMemory.
void* dynamic_shared_of_thread();

// Writes a pattern behind the first `bytes` bytes, and fences off what is there; then: is it still there?
void arm_dynamic_shared(std::uint64_t bytes);
bool dynamic_shared_intact(std::uint64_t bytes);

}  // namespace attune
