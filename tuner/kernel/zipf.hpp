// Zipf's law as thresholds of 64 random bits.
#pragma once

#include <cstdint>
#include <vector>

namespace attune {

// Returns count - 1 ascending thresholds. The rank of 64 uniform random bits is the number of thresholds that are at
// most these bits. Rank k = 0, 1, ... then has the probability (k + 1)^-exponent / sum of all (Zipf 1949).
std::vector<std::uint64_t> zipf_thresholds(double exponent, std::int64_t count);

}  // namespace attune
