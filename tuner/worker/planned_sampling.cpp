#include "worker/planned_sampling.hpp"

#include <algorithm>

namespace attune {
namespace {

// In a stream, a set is used again after launches on other data, with so many times the L2 cache's bytes.
constexpr std::uint64_t caches_between = 2;

// The bytes of all sets, at most, unless more are needed.
constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30;

}  // namespace

StreamSets stream_sets(std::uint64_t set_bytes, std::uint64_t batch, std::uint64_t l2_bytes, std::uint64_t room) {
  const std::uint64_t of_one = std::max<std::uint64_t>(set_bytes, 1);
  const std::uint64_t apart = (caches_between * l2_bytes + of_one - 1) / of_one + 1;
  if (apart > batch) return {batch, batch, true};
  const std::uint64_t affordable = std::min(room, most_bytes / of_one);
  const std::uint64_t count = std::clamp(affordable, apart, batch);
  return {count, batch / count * count, false};
}

SamplingPlan planned_sampling(const TimingPlan& plan, bool may_batch, std::uint64_t set_bytes, std::uint64_t l2_bytes,
                              std::uint64_t room) {
  SamplingPlan planned{{.before = {}, .timed = {}, .flush = plan.regime != Regime::warm}};
  Sampling& sampling = planned.sampling;
  if (may_batch && plan.regime != Regime::cold) sampling.batch = std::max(plan.batch, 1);
  if (sampling.batch == 1 || plan.regime != Regime::stream) return planned;
  const StreamSets stream = stream_sets(set_bytes, static_cast<std::uint64_t>(sampling.batch), l2_bytes, room);
  sampling.flush = stream.flush;
  sampling.batch = static_cast<int>(stream.batch);
  planned.sets = static_cast<std::size_t>(stream.count);
  return planned;
}

}  // namespace attune
