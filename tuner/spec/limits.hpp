// Limits of kernel files that several parts check.
#pragma once

#include <cstddef>

namespace attune {

// The most entries of a section: far more than any kernel has, and few enough for a linear search.
inline constexpr std::size_t max_entries = 256;

}  // namespace attune
