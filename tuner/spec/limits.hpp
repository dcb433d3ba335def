// Limits of kernel files that several parts hold to.
#pragma once

#include <cstddef>

namespace attune {

// Entries of a section: far more than any kernel has, and few enough for a look-up one by one.
inline constexpr std::size_t max_entries = 256;

}  // namespace attune
