#include "measure/screen.hpp"

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"

namespace attune {

TimingPlan screen_plan(double incumbent_ns, double scatter_ns, const Protocol& protocol) {
  TimingPlan plan;
  plan.count = 1 + protocol.screen_samples;
  plan.most = std::max(plan.count, 1 + protocol.screen_samples_most);
  plan.error = protocol.screen_error;
  plan.scatter_ns = scatter_ns;
  plan.stop_above_ns = incumbent_ns > 0 ? protocol.reject_ratio * incumbent_ns : 0;
  return plan;
}

int batch_for(double nanoseconds, const Protocol& protocol) {
  const double each = std::max(nanoseconds, 1.0);
  const double wanted =
      std::clamp<double>(std::ceil(protocol.batch_ns / each), protocol.batch_least, protocol.batch_most);
  return static_cast<int>(std::clamp(protocol.batch_most_ns / each, 2.0, wanted));
}

int samples_wanted(std::span<const double> samples_ns, const TimingPlan& plan) {
  const int taken = static_cast<int>(samples_ns.size());
  if (taken == 0) return plan.most > 1 ? 1 : plan.count;
  if (plan.stop_above_ns > 0 && samples_ns.front() > plan.stop_above_ns) return 0;
  if (plan.most <= plan.count) return plan.count - taken;
  double scatter = plan.scatter_ns / std::max(samples_ns.front(), 1.0);
  if (taken >= plan.count) scatter = std::max(scatter, relative_scatter(counted_samples(samples_ns)));
  return std::max(0, 1 + samples_for(scatter, plan.error, plan.count - 1, plan.most - 1) - taken);
}

std::span<const double> counted_samples(std::span<const double> samples_ns) {
  return samples_ns.size() > 1 ? samples_ns.subspan(1) : samples_ns;
}

}  // namespace attune
