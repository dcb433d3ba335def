#include "ladder_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/terminal/help_text.hpp"
#include "bench_table.hpp"
#include "comparison.hpp"
#include "json_lines.hpp"
#include "table.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

using Json = nlohmann::ordered_json;

bool has_time(const SideBySideRow& row) { return row.status.ok() && row.time_ns.value > 0; }

const LadderStep* step_of(const LadderTable& table, const SideBySideRow& row) {
  const auto& steps = table.ladder.steps;
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const auto& step) { return step.name == row.name; });
  return row.is_copy || found == steps.end() ? nullptr : &*found;
}

// How many times as long another row takes; nothing where one has no time.
std::optional<double> speedup_over(const SideBySideRow* other, const SideBySideRow& row) {
  if (other == nullptr || !has_time(*other) || !has_time(row)) return std::nullopt;
  return other->time_ns.value / row.time_ns.value;
}

struct Speedups {
  std::optional<double> over_step, over_first;
};

// Of each row. A row that is no step has none over the step before.
std::vector<Speedups> speedups_of(const LadderTable& table) {
  std::vector<Speedups> speedups;
  const SideBySideRow *first = nullptr, *before = nullptr;
  for (const SideBySideRow& row : table.compared.rows) {
    const bool is_step = step_of(table, row) != nullptr;
    if (first == nullptr && has_time(row)) first = &row;
    speedups.push_back({is_step ? speedup_over(before, row) : std::nullopt, speedup_over(first, row)});
    if (is_step && has_time(row)) before = &row;
  }
  return speedups;
}

// Returns the metric of the table: that of the published figures, where these are rates of bytes.
std::optional<Metric> metric_of_table(const LadderTable& table) {
  const auto is_of_bytes = [](const LadderStep& step) { return step.published.ends_with("B/s"); };
  if (table.spec.metrics.bytes && std::any_of(table.ladder.steps.begin(), table.ladder.steps.end(), is_of_bytes))
    return Metric::bytes;
  return metric_for(table.compared, table.spec, table.problem);
}

std::string rate_in(const LadderTable& table, const SideBySideRow& row, std::optional<Metric> metric) {
  return rate_of(row, table.compared, table.spec, table.problem, metric);
}

std::string steps_text(const std::vector<ShownConfiguration>& steps, bool verbose) {
  return configurations_text(steps, verbose ? Beside::none : Beside::previous);
}

// Returns each step that is legal for some problem of a sweep.
std::vector<ShownConfiguration> steps_of(const std::vector<LadderTable>& tables) {
  std::vector<ShownConfiguration> steps;
  for (const LadderTable& table : tables)
    for (const SideBySideRow& row : table.compared.rows)
      if (std::none_of(steps.begin(), steps.end(),
                       [&](const ShownConfiguration& step) { return step.name == row.name; }))
        steps.push_back(named_text(row));
  return steps;
}

// Returns "62.91 us, 2.133 TB/s", without a metric "62.91 us"; the verdict of what failed.
std::string sweep_cell(const LadderTable& table, const SideBySideRow& row, std::optional<Metric> metric) {
  if (!row.status.ok()) return std::string(to_text(row.status.verdict));
  if (!has_time(row)) return "";
  const std::string rate = rate_in(table, row, metric);
  return time_text(row.time_ns.value) + (rate.empty() ? "" : ", " + rate);
}

// Returns the head and a row for each problem. A step that is not legal for a problem has an empty cell there.
std::vector<Cells> sweep_rows(const std::vector<LadderTable>& tables, const std::string& swept,
                              const std::vector<ShownConfiguration>& steps, std::optional<Metric> metric) {
  std::vector<Cells> rows{{swept}};
  for (const ShownConfiguration& step : steps) rows.front().push_back(step.name);
  for (const LadderTable& table : tables) {
    Cells& cells = rows.emplace_back(Cells{table.problem.at(swept).text()});
    const auto& compared = table.compared.rows;
    for (const ShownConfiguration& step : steps) {
      const auto of_step = [&](const SideBySideRow& row) { return row.name == step.name; };
      const auto row = std::find_if(compared.begin(), compared.end(), of_step);
      cells.push_back(row == compared.end() ? "" : sweep_cell(table, *row, metric));
    }
  }
  return rows;
}

std::string ratio_cell(const std::optional<double>& ratio) { return ratio ? ratio_text(*ratio) : ""; }

}  // namespace

std::string ladder_text(const LadderTable& table, bool verbose) {
  const std::vector<Speedups> speedups = speedups_of(table);
  const std::optional<Metric> metric = metric_of_table(table);
  std::vector<ShownConfiguration> steps;
  std::vector<Cells> rows{{"step", "time", "rate", "gain", "total", "published"}};
  std::string details;
  for (std::size_t i = 0; i < table.compared.rows.size(); ++i) {
    const SideBySideRow& row = table.compared.rows[i];
    const LadderStep* const step = step_of(table, row);
    const std::string published = step == nullptr ? "" : step->published;
    steps.push_back(named_text(row));
    if (!row.status.ok()) {
      rows.push_back({row.name, std::string(to_text(row.status.verdict)), "", "", "", published});
      details += failure_text(row);
    } else if (has_time(row)) {
      rows.push_back({row.name, time_text(row.time_ns.value), rate_in(table, row, metric),
                      ratio_cell(speedups[i].over_step), ratio_cell(speedups[i].over_first), published});
    }
  }
  std::string text = (rows.size() > 1 ? table_text(rows) : "") + steps_text(steps, verbose) + details;
  if (!table.ladder.source.empty()) text += in_lines("published: " + table.ladder.source, 2) + "\n";
  if (table.bound) text += bound_text(table.bound) + "\n";
  return text;
}

std::vector<Json> ladder_lines(const LadderTable& table) {
  const std::vector<Speedups> speedups = speedups_of(table);
  std::vector<Json> lines;
  for (std::size_t i = 0; i < table.compared.rows.size(); ++i) {
    const SideBySideRow& row = table.compared.rows[i];
    Json& line = lines.emplace_back(Json{{"type", "row"}, {"ladder", table.ladder.name}});
    line["problem"] = to_json(table.problem);
    line["name"] = row.name;
    line["configuration"] = row.is_copy ? Json() : to_json(row.configuration);
    line["verdict"] = to_text(row.status.verdict);
    if (const LadderStep* const step = step_of(table, row); step != nullptr && !step->published.empty())
      line["published"] = step->published;
    if (!row.status.detail.empty()) line["detail"] = row.status.detail;
    if (!has_time(row)) continue;
    line.update(estimate_fields("median_ns", row.time_ns));
    if (speedups[i].over_step) line["over_last"] = *speedups[i].over_step;
    if (speedups[i].over_first) line["in_all"] = *speedups[i].over_first;
    if (row.is_copy)
      line["gigabytes_per_s"] = static_cast<double>(table.compared.copy_bytes) / row.time_ns.value;
    else
      add_rates(line, table.spec, table.problem, row.configuration, row.time_ns.value);
  }
  return lines;
}

std::string sweep_text(const std::vector<LadderTable>& tables, const std::string& swept, bool verbose) {
  const std::vector<ShownConfiguration> steps = steps_of(tables);
  const std::string text = table_text(sweep_rows(tables, swept, steps, metric_of_table(tables.front())));
  const bool fits = text.find('\n') <= output_columns();
  return (fits ? text : table_text(sweep_rows(tables, swept, steps, std::nullopt))) + steps_text(steps, verbose);
}

}  // namespace attune::cli
