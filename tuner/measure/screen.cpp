#include "measure/screen.hpp"

namespace attune {

SamplePlan screen_plan(double incumbent_ns, const Protocol& protocol) {
  const double limit = incumbent_ns < protocol.short_ns ? protocol.reject_ratio_short : protocol.reject_ratio;
  return {1 + protocol.screen_samples, incumbent_ns > 0 ? limit * incumbent_ns : 0};
}

bool wants_another_sample(std::span<const double> samples_ns, const SamplePlan& plan) {
  if (samples_ns.size() == 1 && plan.stop_above_ns > 0 && samples_ns.front() > plan.stop_above_ns) return false;
  return static_cast<int>(samples_ns.size()) < plan.count;
}

std::span<const double> counted_samples(std::span<const double> samples_ns) {
  return samples_ns.size() > 1 ? samples_ns.subspan(1) : samples_ns;
}

}  // namespace attune
