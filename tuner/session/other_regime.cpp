#include "session/other_regime.hpp"

#include <fmt/format.h>

#include "attune/error.hpp"
#include "measure/statistics.hpp"

namespace attune {
namespace {

// The longest time that is measured again. In longer ones the cost of a launch is less than a sixth.
constexpr double short_ns = 20e3;

constexpr int samples_alone = 100, samples_of_stream = 9;

}  // namespace

std::optional<TimeInRegime> OtherRegime::run(const Configuration& winner, double median_ns) {
  const bool is_timed = !on_.terms.opened.own_clock && on_.stop.load() == 0;
  if (median_ns >= short_ns || !is_timed || on_.terms.subject.restores_inputs()) return std::nullopt;
  std::optional<ReadyInstance> made = ready(winner);
  if (!made) return std::nullopt;
  const bool is_stream = on_.terms.request.regime != Regime::stream;
  TimingPlan plan{.regime = is_stream ? Regime::stream : Regime::cold};
  if (is_stream) plan.batch = batch_for(median_ns, on_.terms.protocol);
  const InstanceId instance = made->instance->id;
  const int count = is_stream ? samples_of_stream : samples_alone;
  try {
    const Result loaded = on_.bench().run(Load{instance_launch(*made->instance, made->image), {}});
    if (!std::get<TryAnswer>(loaded.answer).status.ok()) return std::nullopt;
    const Result result = on_.bench().run(rounds_of(instance, count, plan));
    on_.bench().release(instance);
    const auto& sampled = std::get<RoundsAnswer>(result.answer);
    if (!sampled.status.ok()) return std::nullopt;
    return TimeInRegime{plan.regime, median(sampled.samples_ns)};
  } catch (const Error& error) {  // there is no room for a stream's data, or the device fails now: the record stays
    on_.observer.note(fmt::format("the winner's time in another regime is not known: {}", error.what()));
    return std::nullopt;
  }
}

}  // namespace attune
