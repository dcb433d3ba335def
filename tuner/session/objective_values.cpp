#include "session/objective_values.hpp"

#include <algorithm>

#include "attune/error.hpp"

namespace attune {
namespace {

// Returns the time of the anchor to which a trial's time is relative, or 0 if there is none. For a trial of a run in
// which the anchor failed, it is the time in the anchor's own later trial.
double anchor_time(const Trial& trial, const Trial* of_anchor) {
  if (of_anchor == nullptr) return 0;
  return trial.anchor_ns > 0 ? trial.anchor_ns : of_anchor->measurement.median_ns;
}

}  // namespace

ObjectiveValues::ObjectiveValues(const SessionTerms& terms) : terms_(terms), objectives_(terms.request.objectives) {
  const Configuration of_default = terms.anchors.empty() ? Configuration{} : terms.anchors.front();
  const std::string metric = objectives_.missing_metric(terms.subject.bytes(of_default).has_value(),
                                                        terms.subject.flops(of_default).has_value());
  if (!metric.empty())
    throw UsageError("the objective `" + objectives_.text() + "` needs " + metric + ", which [metrics] of " +
                     terms.subject.name() + " does not give for " + terms.key.record.problem.text());
  if (objectives_.needs_energy() && !terms.opened.has_energy_counter)
    throw UsageError("the objective `" + objectives_.text() + "` needs energy, which " + terms.device.name +
                     " does not report (NVML reports it for NVIDIA devices since Volta)");
}

std::uint64_t ObjectiveValues::shared_bytes(const Trial& trial) const {
  std::uint64_t dynamic = 0;
  for (const LaunchShape& shape : trial.shapes) dynamic = std::max(dynamic, shape.shared_bytes);
  if (trial.shapes.empty())  // the trial is of a log without shapes
    for (const LaunchShape& shape : terms_.subject.prepare(0, trial.configuration)->shapes)
      dynamic = std::max(dynamic, shape.shared_bytes);
  return trial.usage.shared_static + dynamic;
}

double ObjectiveValues::value(const Trial& trial, std::size_t objective, double time_ns,
                              std::optional<double> energy_j) const {
  if (objectives_.is_time()) return time_ns;
  ObjectiveFacts facts;
  facts.time_ns = time_ns;
  facts.energy_j = energy_j;
  facts.registers = trial.usage.registers;
  facts.shared_bytes = static_cast<std::int64_t>(shared_bytes(trial));
  facts.bytes = terms_.subject.bytes(trial.configuration);
  facts.flops = terms_.subject.flops(trial.configuration);
  facts.device = &terms_.device;
  return objectives_.value(objective, facts);
}

double ObjectiveValues::searched_value(const Trial& trial, double time_ns) const {
  return objectives_.is_time() || objectives_.needs_energy(0) ? time_ns : value(trial, 0, time_ns);
}

double ObjectiveValues::score(const Trial& trial, const Trial* of_anchor) const {
  const double own = searched_value(trial, trial.measurement.median_ns);
  if (of_anchor == nullptr && terms_.may_be_anchor(trial.configuration)) of_anchor = &trial;
  const double anchor_ns = anchor_time(trial, of_anchor);
  return anchor_ns <= 0 ? own : own / searched_value(*of_anchor, anchor_ns);
}

double ObjectiveValues::ratio(const Trial& trial, std::size_t objective, const Trial* of_anchor) const {
  const double own = value(trial, objective, trial.measurement.median_ns);
  const double anchor_ns = anchor_time(trial, of_anchor);
  return anchor_ns <= 0 ? own : own / value(*of_anchor, objective, anchor_ns);
}

void ObjectiveValues::check_values(const Trial& trial) const {
  for (std::size_t i = 1; i < objectives_.size(); ++i)
    if (!objectives_.needs_energy(i)) value(trial, i, trial.measurement.median_ns);
}

double time_ratio(const Trial& trial, const Trial* of_anchor) {
  const double anchor_ns = anchor_time(trial, of_anchor);
  return trial.measurement.median_ns / (anchor_ns > 0 ? anchor_ns : 1);
}

}  // namespace attune
