#include "measure/warm_up.hpp"

#include <algorithm>

namespace attune {

bool is_warm(double elapsed_ms, std::span<const double> clocks_mhz, const WarmUpPlan& plan) {
  if (elapsed_ms < plan.milliseconds) return false;
  if (clocks_mhz.empty() || elapsed_ms >= plan.most_milliseconds) return true;
  constexpr auto windows = static_cast<std::size_t>(WarmUpPlan::windows);
  if (clocks_mhz.size() < windows) return false;
  const auto [least, most] = std::minmax_element(clocks_mhz.end() - windows, clocks_mhz.end());
  return *most <= *least * (1 + plan.clock_ratio);
}

}  // namespace attune
