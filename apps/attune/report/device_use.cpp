#include "report/device_use.hpp"

#include <algorithm>

#include "kernel/roofline.hpp"

namespace attune::cli {
namespace {

// Returns the amount per second; 0 where [metrics] lack it.
double rate_of(const ReportData& data, const std::optional<Expression>& amount, const Configuration& configuration,
               double nanoseconds) {
  const std::optional<double> value = amount_of(amount, data.session.key.record.problem, configuration);
  return value && nanoseconds > 0 ? *value / nanoseconds * 1e9 : 0;
}

}  // namespace

const FinalistResult* best_finalist(const ReportData& data) {
  if (!data.record) return nullptr;
  const auto found = std::ranges::find(data.finalists, data.record->configuration, &FinalistResult::configuration);
  return found == data.finalists.end() ? nullptr : &*found;
}

std::optional<double> default_time(const ReportData& data) {
  if (data.record && data.record->default_ns > 0) return data.record->default_ns;
  const Trial* const trial = data.find(data.default_configuration);
  return trial != nullptr && trial->verdict == Verdict::ok ? std::optional(trial->measurement.median_ns) : std::nullopt;
}

std::optional<Roofline> roofline_of(const ReportData& data) {
  if (!data.spec) return std::nullopt;
  const Problem& problem = data.session.key.record.problem;
  const Metrics& metrics = data.spec->metrics;
  Roofline roofline;
  if (metrics.bytes) roofline.bytes = ceiling_named(data.ceilings, memory_ceiling(*data.spec, problem));
  if (metrics.flops) roofline.operations = ceiling_named(data.ceilings, arithmetic_ceiling(problem, data.ceilings));
  if (roofline.bytes == nullptr && roofline.operations == nullptr) return std::nullopt;
  const auto add = [&](const char* name, const Configuration& configuration, double nanoseconds) {
    roofline.points.push_back({name, rate_of(data, metrics.bytes, configuration, nanoseconds),
                               rate_of(data, metrics.flops, configuration, nanoseconds)});
  };
  const FinalistResult* const best = best_finalist(data);
  for (const FinalistResult& finalist : data.finalists)
    if (&finalist != best && finalist.configuration != data.default_configuration)
      add("finalist", finalist.configuration, finalist.measurement.median_ns);
  if (const auto time = default_time(data)) add("default", data.default_configuration, *time);
  if (const Trial* const trial = data.best())
    add("best", trial->configuration, best == nullptr ? trial->measurement.median_ns : best->measurement.median_ns);
  return roofline.points.empty() ? std::nullopt : std::optional(std::move(roofline));
}

}  // namespace attune::cli
