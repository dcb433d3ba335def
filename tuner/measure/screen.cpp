#include "measure/screen.hpp"

namespace attune {

bool wants_another_sample(std::span<const double> samples_ns, double incumbent_ns, const Protocol& protocol) {
  if (samples_ns.empty()) return true;
  if (samples_ns.size() > 1) return samples_ns.size() < static_cast<std::size_t>(1 + protocol.screen_samples);
  if (incumbent_ns <= 0) return true;
  const double limit = incumbent_ns < protocol.short_ns ? protocol.reject_ratio_short : protocol.reject_ratio;
  return samples_ns.front() <= limit * incumbent_ns;
}

std::span<const double> counted_samples(std::span<const double> samples_ns) {
  return samples_ns.size() > 1 ? samples_ns.subspan(1) : samples_ns;
}

}  // namespace attune
