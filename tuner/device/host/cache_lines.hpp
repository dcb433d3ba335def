// Lines of the processor's caches. Thread-safe.
#pragma once

#include <cstddef>

namespace attune {

// Returns whether drop_lines() has an effect, which it has on x86-64 with CLFLUSHOPT.
bool can_drop_lines() noexcept;

// Writes the lines of these bytes back and drops them from all caches: about 5 ns a line. They must be readable.
void drop_lines(const void* memory, std::size_t bytes) noexcept;

}  // namespace attune
