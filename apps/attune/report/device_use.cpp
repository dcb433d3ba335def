#include "report/device_use.hpp"

#include <algorithm>

#include "kernel/roofline.hpp"

namespace attune::cli {
namespace {

const Ceiling* ceiling_of(const ReportData& data, const std::string& name) {
  const auto found = std::ranges::find(data.ceilings, name, &Ceiling::name);
  return found == data.ceilings.end() ? nullptr : &*found;
}

std::optional<RooflinePoint> point_of(const ReportData& data, std::string name, const Configuration& configuration,
                                      double nanoseconds) {
  const Problem& problem = data.session.key.record.problem;
  const std::optional<double> bytes = amount_of(data.spec->metrics.bytes, problem, configuration);
  const std::optional<double> operations = amount_of(data.spec->metrics.flops, problem, configuration);
  if (!bytes || !operations || *bytes <= 0 || *operations <= 0 || nanoseconds <= 0) return std::nullopt;
  return RooflinePoint{std::move(name), *operations / *bytes, *operations / nanoseconds * 1e9};
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
  const Ceiling* const memory = ceiling_of(data, memory_ceiling(*data.spec, problem));
  const Ceiling* const arithmetic = ceiling_of(data, arithmetic_ceiling(problem, data.ceilings));
  if (memory == nullptr || arithmetic == nullptr) return std::nullopt;
  Roofline roofline{memory->name, arithmetic->name, memory->value, arithmetic->value, {}};
  const auto add = [&](const char* name, const Configuration& configuration, double nanoseconds) {
    if (auto point = point_of(data, name, configuration, nanoseconds)) roofline.points.push_back(*std::move(point));
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
