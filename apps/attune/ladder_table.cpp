#include "ladder_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

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

std::string rate_in(const LadderTable& table, const SideBySideRow& row, bool verbose) {
  return rate_of(row, table.compared, table.spec, table.problem, verbose);
}

// Returns the configurations, one below the other.
std::string steps_of(const LadderTable& table, bool verbose) {
  std::vector<NamedText> list;
  for (const SideBySideRow& row : table.compared.rows) list.push_back(named_text(row));
  return configurations_text(list, verbose ? Beside::none : Beside::previous);
}

std::string ratio_cell(const std::optional<double>& ratio) { return ratio ? ratio_text(*ratio) : ""; }

}  // namespace

std::string ladder_text(const LadderTable& table, bool verbose) {
  const std::vector<Speedups> speedups = speedups_of(table);
  std::vector<Cells> rows{{"step", "time", "rate", "gain", "total", "published"}};
  std::string details;
  for (std::size_t i = 0; i < table.compared.rows.size(); ++i) {
    const SideBySideRow& row = table.compared.rows[i];
    const LadderStep* const step = step_of(table, row);
    const std::string published = step == nullptr ? "" : step->published;
    if (!row.status.ok()) {
      rows.push_back({row.name, std::string(to_text(row.status.verdict)), "", "", "", published});
      details += fmt::format("{}: {}: {}\n", row.name, to_text(row.status.verdict), row.status.detail);
    } else if (has_time(row)) {
      rows.push_back({row.name, time_text(row.time_ns.value), rate_in(table, row, verbose),
                      ratio_cell(speedups[i].over_step), ratio_cell(speedups[i].over_first), published});
    }
  }
  std::string text = table_text(rows) + steps_of(table, verbose) + details;
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
  std::vector<Cells> rows{{swept}};
  for (const SideBySideRow& row : tables.front().compared.rows) rows.front().push_back(row.name);
  for (const LadderTable& table : tables) {
    Cells cells{table.problem.at(swept).text()};
    for (const SideBySideRow& row : table.compared.rows) {
      const std::string rate = has_time(row) ? rate_in(table, row, verbose) : "";
      cells.push_back(!row.status.ok() ? std::string(to_text(row.status.verdict))
                      : !has_time(row) ? ""
                      : rate.empty()   ? time_text(row.time_ns.value)
                                       : rate);
    }
    cells.resize(rows.front().size());
    rows.push_back(std::move(cells));
  }
  return table_text(rows) + steps_of(tables.front(), verbose);
}

}  // namespace attune::cli
