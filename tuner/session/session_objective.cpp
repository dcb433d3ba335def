// What a session minimises: the objectives, as its trials and finalists have them.
#include <algorithm>

#include "attune/error.hpp"
#include "session/session_run.hpp"

namespace attune {

void SessionRun::check_objectives() const {
  const Objectives& objectives = request_.objectives;
  const std::string metric = objectives.missing_metric(metric_bytes_.has_value(), metric_flops_.has_value());
  if (!metric.empty())
    throw UsageError("the objective `" + objectives.text() + "` needs " + metric + ", which [metrics] of " +
                     request_.spec.name + " does not give for " + request_.problem.text());
  if (objectives.needs_energy() && !opened_.tells_energy)
    throw UsageError("the objective `" + objectives.text() + "` needs energy, which " + device_.name +
                     " does not tell (NVML tells it of NVIDIA devices since Volta)");
}

// Static and dynamic, of the step that uses the most of the latter.
std::uint64_t SessionRun::shared_bytes_of(const Trial& trial) const {
  const auto [found, is_new] = shared_bytes_.try_emplace(trial.configuration.text(), trial.usage.shared_static);
  if (!is_new) return found->second;
  std::uint64_t dynamic = 0;
  for (const ResolvedStep& step :
       resolve_steps(request_.spec, request_.spec.launch, request_.problem, &trial.configuration, device_))
    dynamic = std::max(dynamic, step.shape.shared_bytes);
  return found->second += dynamic;
}

double SessionRun::value_of(const Trial& trial, std::size_t objective, double time_ns,
                            std::optional<double> energy_j) const {
  if (request_.objectives.is_time()) return time_ns;
  ObjectiveFacts facts;
  facts.time_ns = time_ns;
  facts.energy_j = energy_j;
  facts.registers = trial.usage.registers;
  facts.shared_bytes = static_cast<std::int64_t>(shared_bytes_of(trial));
  facts.bytes = metric_bytes_;
  facts.flops = metric_flops_;
  facts.device = &device_;
  return request_.objectives.value(objective, facts);
}

// Of the first objective, as far as the search knows it: while its energy is unknown a configuration counts by its
// time.
double SessionRun::searched_value(const Trial& trial, double time_ns) const {
  return request_.objectives.needs_energy(0) ? time_ns : value_of(trial, 0, time_ns);
}

double SessionRun::time_ratio(const Trial& trial) const {
  return trial.measurement.median_ns / (trial.anchor_ns > 0 ? trial.anchor_ns : 1);
}

// What survivors are ranked by: relative to the anchor, so that drift of the clocks cancels.
double SessionRun::score(const Trial& trial) const {
  const double value = searched_value(trial, trial.measurement.median_ns);
  const auto by_default = trials_.find(default_->text());
  const bool is_default = trial.configuration == *default_;
  if (trial.anchor_ns <= 0 || (by_default == trials_.end() && !is_default)) return value;
  return value / searched_value(is_default ? trial : by_default->second, trial.anchor_ns);
}

// One that has no value is told at the first trial, not behind the whole search.
void SessionRun::check_values(const Trial& trial) const {
  for (std::size_t i = 1; i < request_.objectives.size(); ++i)
    if (!request_.objectives.needs_energy(i)) value_of(trial, i, trial.measurement.median_ns);
}

// What a first sample is held against. Only where the first objective is the time, as far as the search knows it.
double SessionRun::incumbent_ns() const {
  if (request_.objectives.name(0) != "time" && !request_.objectives.needs_energy(0)) return 0;
  return anchor_ns_ > 0 ? best_score_ * anchor_ns_ : best_score_;
}

}  // namespace attune
