// Zipf's law as thresholds of 64 random bits.
#pragma once

#include <cstdint>
#include <vector>

namespace attune {

// Returns count - 1 ascending thresholds. Of 64 uniform bits, as many are at most the bits as the rank k = 0, 1, ...
// has probability (k + 1)^-exponent / sum of all (Zipf 1949).
std::vector<std::uint64_t> zipf_thresholds(double exponent, std::int64_t count);

}  // namespace attune
