#include "measure/screen.hpp"

#include <algorithm>
#include <cmath>

namespace attune {

TimingPlan screen_plan(double incumbent_ns, const Protocol& protocol) {
  const double limit = incumbent_ns < protocol.short_ns ? protocol.reject_ratio_short : protocol.reject_ratio;
  TimingPlan plan;
  plan.count = 1 + protocol.screen_samples;
  plan.stop_above_ns = incumbent_ns > 0 ? limit * incumbent_ns : 0;
  return plan;
}

int batch_for(double nanoseconds, const Protocol& protocol) {
  if (nanoseconds >= protocol.batch_below_ns) return 1;
  const double wanted = std::ceil(protocol.batch_ns / std::max(nanoseconds, 1.0));
  return static_cast<int>(std::clamp<double>(wanted, protocol.batch_least, protocol.batch_most));
}

int samples_wanted(std::span<const double> samples_ns, const TimingPlan& plan) {
  if (plan.stop_above_ns <= 0) return plan.count - static_cast<int>(samples_ns.size());
  if (samples_ns.empty()) return std::min(plan.count, 1);
  return samples_ns.front() > plan.stop_above_ns ? 0 : plan.count - static_cast<int>(samples_ns.size());
}

std::span<const double> counted_samples(std::span<const double> samples_ns) {
  return samples_ns.size() > 1 ? samples_ns.subspan(1) : samples_ns;
}

}  // namespace attune
