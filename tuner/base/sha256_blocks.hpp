// SHA-256 of whole blocks by the processor's own instructions, seven times as fast as in C. Images have up to a
// megabyte, and an application's first launch waits for their digests.
#pragma once

#include <cstddef>
#include <cstdint>

namespace attune {

// Returns whether the processor has such instructions. Only those of x86-64 (SHA extensions) are used.
bool has_sha256_blocks() noexcept;

// Adds `count` blocks of 64 bytes to the eight words of a state. To be called only if has_sha256_blocks().
void add_sha256_blocks(std::uint32_t* state, const std::uint8_t* data, std::size_t count) noexcept;

}  // namespace attune
