#include "bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.hpp"
#include "measure/final_stage.hpp"
#include "table.hpp"
#include "text.hpp"

namespace attune::cli {
namespace {

std::string time_cell(const Estimate& time) { return time_text(time.value, time.interval.low, time.interval.high); }

std::string speedup_cell(const Estimate& speedup) {
  return fmt::format("{}x [{}, {}]", four_digits(speedup.value), four_digits(speedup.interval.low),
                     four_digits(speedup.interval.high));
}

std::string rounds_text(const SideBySide& compared, const Protocol& protocol) {
  if (compared.rounds == 0) return fmt::format("{}: no round was complete\n", to_text(compared.regime));
  std::string text = fmt::format("{}: {}", to_text(compared.regime), counted(compared.rounds, "round"));
  if (compared.batch > 1) text += fmt::format(" of {} launches each", compared.batch);
  const std::string over = compared.base == compared.rows.front().name ? "" : " over " + compared.base;
  text += fmt::format("; speed-ups{} within +-{:.2f} %", over, 100 * compared.half_width);
  const bool has_aim = protocol.settled_log_ratio > 0;
  return text + (has_aim && !is_settled(compared.rounds, compared.half_width, protocol) ? ", not settled\n" : "\n");
}

}  // namespace

std::optional<Metric> metric_for(const SideBySide& compared, const KernelSpec& spec, const Problem& problem) {
  for (const SideBySideRow& row : compared.rows)
    if (!row.is_copy && !row.is_peer) return main_metric(spec, problem, row.configuration);
  return std::nullopt;
}

std::string rate_of(const SideBySideRow& row, const SideBySide& compared, const KernelSpec& spec,
                    const Problem& problem, std::optional<Metric> metric) {
  if (!row.is_copy) return rate_by(metric, spec, problem, row.configuration, row.time_ns.value);
  return quantity_text(static_cast<double>(compared.copy_bytes) / row.time_ns.value * 1e9, "B/s");
}

std::string failure_text(const SideBySideRow& row) {
  const std::string text = fmt::format("{}: {}: {}", row.name, to_text(row.status.verdict), row.status.detail);
  const bool is_log = text.find('\n') != std::string::npos;
  return (is_log ? text : in_lines(text, 2)) + "\n";
}

ShownConfiguration named_text(const SideBySideRow& row) {
  if (row.is_copy) return {row.name, {}, "as many bytes, read and written"};
  if (row.is_peer) return {row.name, {}, "a peer, from its library"};
  return {row.name, row.configuration, ""};
}

std::string side_by_side_text(const SideBySide& compared, const KernelSpec& spec, const Problem& problem,
                              const Protocol& protocol, bool verbose) {
  std::vector<Cells> rows{{std::string(to_text(compared.regime)), "time [95 %]", "speed-up [95 %]", "rate"}};
  const std::optional<Metric> metric = metric_for(compared, spec, problem);
  std::vector<ShownConfiguration> configurations;
  std::string details;
  for (const SideBySideRow& row : compared.rows) {
    if (!row.status.ok()) {
      rows.push_back({row.name, std::string(to_text(row.status.verdict)), "", ""});
      details += failure_text(row);
    } else if (compared.rounds > 0) {
      rows.push_back(
          {row.name, time_cell(row.time_ns), speedup_cell(row.speedup), rate_of(row, compared, spec, problem, metric)});
    } else {
      continue;
    }
    configurations.push_back(named_text(row));
  }
  if (rows.size() == 1) return rounds_text(compared, protocol);
  return rounds_text(compared, protocol) + table_text(rows) +
         configurations_text(configurations, verbose ? Beside::none : Beside::first) + details;
}

std::string steps_text(const SideBySide& compared) {
  std::vector<Cells> rows{{std::string(to_text(compared.regime)), "up to it", "its share [95 %]"}};
  for (const SideBySideRow& row : compared.rows)
    for (const StepTimes& step : row.steps)
      rows.push_back({fmt::format("{}: {}", row.name, step.name), time_text(step.up_to_ns),
                      fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100 * step.share.value, 100 * step.share.interval.low,
                                  100 * step.share.interval.high)});
  return rows.size() > 1 ? table_text(rows) : "";
}

}  // namespace attune::cli
