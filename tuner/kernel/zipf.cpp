#include "kernel/zipf.hpp"

#include <cmath>

namespace attune {

std::vector<std::uint64_t> zipf_thresholds(double exponent, std::int64_t count) {
  const auto weight = [&](std::int64_t rank) { return std::pow(static_cast<double>(rank + 1), -exponent); };
  double total = 0;
  for (std::int64_t rank = count - 1; rank >= 0; --rank) total += weight(rank);  // the small ones first
  std::vector<std::uint64_t> thresholds;
  double passed = 0;
  for (std::int64_t rank = 0; rank < count - 1; ++rank) {
    passed += weight(rank);
    const double share = passed / total;
    thresholds.push_back(share < 1 ? static_cast<std::uint64_t>(std::ldexp(share, 64)) : ~std::uint64_t{0});
  }
  return thresholds;
}

}  // namespace attune
