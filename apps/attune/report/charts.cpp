#include "report/charts.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "text.hpp"

namespace attune::cli {
namespace {

// Rounds to so many significant digits, which keeps a report small. A picture shows three.
double rounded(double value, int digits = 5) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale = std::pow(10.0, digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value)))));
  return std::round(value * scale) / scale;
}

Json value_json(const Value& value) {
  if (value.is_integer()) return value.integer();
  if (value.is_real()) return value.real();
  if (value.is_boolean()) return value.boolean() ? "true" : "false";
  return value.name();
}

Json row_of(const ReportData& data, std::size_t position, const TimeUnit& unit, bool has_parameters = true) {
  const Trial& trial = data.trials[position];
  Json row = {{"n", position + 1}, {"s", rounded(data.seconds[position])}, {"v", to_text(trial.verdict)}};
  const double time = trial.measurement.median_ns;
  const bool has_time = trial.verdict == Verdict::ok && std::isfinite(time) && time > 0;
  if (has_time) row["t"] = rounded(trial.measurement.median_ns / unit.nanoseconds);
  if (has_time && trial.anchor_ns > 0) row["g"] = rounded(trial.anchor_ns / trial.measurement.median_ns, 4);
  row["k"] = rounded(trial.compile_ms * 1e-3, 3);
  if (trial.shapes.size() == 1 && trial.shapes.front().block != LaunchShape{}.block) {
    const LaunchShape& shape = trial.shapes.front();
    row["b"] = shape.block[0] * shape.block[1] * shape.block[2];
    row["m"] = shape.shared_bytes + trial.usage.shared_static;
  }
  if (trial.usage.registers > 0) row["r"] = trial.usage.registers;
  if (trial.usage.registers > 0) row["l"] = trial.usage.spill_bytes;
  if (const auto occupancy = occupancy_of(data, trial)) row["o"] = rounded(100 * occupancy->share(), 4);
  if (!has_parameters) return row;
  std::size_t parameter = 0;
  for (const Binding& one : trial.configuration) row["p" + std::to_string(parameter++)] = value_json(one.value);
  return row;
}

Json encoding_of(std::string_view column, std::string_view title, const char* type) {
  return {{"field", column}, {"type", type}, {"title", title}};
}

}  // namespace

TimeUnit shown_unit(const ReportData& data) {
  const Trial* const best = data.best();
  const double least = best == nullptr ? 1 : best->measurement.median_ns;
  for (const auto& [nanoseconds, name] : {std::pair(1e9, "s"), std::pair(1e6, "ms"), std::pair(1e3, "us")})
    if (least >= nanoseconds) return {nanoseconds, name};
  return {1, "ns"};
}

Json trial_rows(const ReportData& data) {
  const TimeUnit unit = shown_unit(data);
  Json rows = Json::array();
  for (std::size_t i = 0; i < data.trials.size(); ++i) rows.push_back(row_of(data, i, unit));
  return rows;
}

std::vector<ChartField> trial_fields(const ReportData& data) {
  const std::string unit = shown_unit(data).name;
  std::vector<ChartField> fields = {{"n", "trial"},
                                    {"s", "seconds of searching"},
                                    {"t", "time (" + unit + ")", true, true},
                                    {"g", "gain over the default", true, true},
                                    {"k", "seconds of compiling", true, false},
                                    {"v", "verdict", false},
                                    {"b", "threads per block"},
                                    {"r", "registers per thread"},
                                    {"m", "shared bytes per block"},
                                    {"l", "spilled bytes per thread"},
                                    {"o", "occupancy (%)"}};
  std::set<std::string> present;
  const TimeUnit shown = shown_unit(data);
  for (std::size_t i = 0; i < data.trials.size() && present.size() < fields.size(); ++i) {
    const Json row = row_of(data, i, shown, false);
    for (const auto& [name, unused] : row.items()) present.insert(name);
  }
  std::erase_if(fields, [&](const ChartField& field) { return !present.contains(field.name); });
  std::size_t position = 0;
  for (const Binding& one : data.trials.front().configuration)
    fields.push_back({"p" + std::to_string(position++), one.name, false});
  return fields;
}

Json number(std::string_view column, std::string_view title) {
  Json encoding = encoding_of(column, title, "quantitative");
  encoding["scale"] = {{"zero", false}, {"nice", true}};
  return encoding;
}

Json logarithm(std::string_view column, std::string_view title) {
  Json encoding = encoding_of(column, title, "quantitative");
  encoding["scale"] = {{"type", "log"}, {"nice", false}, {"padding", 8}};
  encoding["axis"] = {{"labelOverlap", "greedy"}, {"labelSeparation", 6}, {"tickCount", 6}};
  return encoding;
}

Json name_of(std::string_view column, std::string_view title) { return encoding_of(column, title, "nominal"); }

Json with(Json encoding, const Json& more) {
  encoding.update(more);
  return encoding;
}

Json over_trials(Json mark, Json encoding, int height) {
  return {{"width", "container"},
          {"height", height},
          {"data", {{"name", trials_dataset}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(encoding)}};
}

Json over_rows(Json rows, Json mark, Json encoding, int height) {
  return {{"width", "container"},
          {"height", height},
          {"data", {{"values", std::move(rows)}}},
          {"mark", std::move(mark)},
          {"encoding", std::move(encoding)}};
}

Chart made_chart(std::string id, std::string title, Json spec) {
  return {std::move(id), std::move(title), "", std::move(spec), {}};
}

}  // namespace attune::cli
