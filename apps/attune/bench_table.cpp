#include "bench_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/counted.hpp"
#include "measure/final_stage.hpp"
#include "text.hpp"

namespace attune::cli {
std::string table_text(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Cells& row : rows)
    for (std::size_t c = 0; c + 1 < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  widths.back() = rows.front().back().size();
  std::string text;
  const auto add = [&](const Cells& row) {
    for (std::size_t c = 0; c < row.size(); ++c) text += fmt::format("| {:<{}} ", row[c], widths[c]);
    text += "|\n";
  };
  add(rows.front());
  for (const std::size_t width : widths) text += "|" + std::string(width + 2, '-');
  text += "|\n";
  for (std::size_t r = 1; r < rows.size(); ++r) add(rows[r]);
  return text;
}

namespace {

std::string time_cell(const Estimate& time) {
  return fmt::format("{} [{}, {}]", time_text(time.value), time_text(time.interval.low), time_text(time.interval.high));
}

std::string speedup_cell(const Estimate& speedup) {
  return fmt::format("{:.3f}x [{:.3f}, {:.3f}]", speedup.value, speedup.interval.low, speedup.interval.high);
}

std::string rate_cell(const SideBySideRow& row, const SideBySide& compared, const KernelSpec& spec,
                      const Problem& problem) {
  if (!row.is_copy) return rate_text(spec, problem, row.configuration, row.time_ns.value);
  return quantity_text(static_cast<double>(compared.copy_bytes) / row.time_ns.value * 1e9, "B/s");
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

std::string side_by_side_text(const SideBySide& compared, const KernelSpec& spec, const Problem& problem,
                              const Protocol& protocol) {
  std::vector<Cells> rows{{std::string(to_text(compared.regime)), "time", "speed-up", "rate", "configuration"}};
  std::string details;
  for (const SideBySideRow& row : compared.rows) {
    const std::string what = row.is_copy   ? "as many bytes, read and written"
                             : row.is_peer ? "a peer, from its library"
                                           : row.configuration.text();
    if (!row.status.ok()) {
      rows.push_back({row.name, std::string(to_text(row.status.verdict)), "", "", what});
      details += fmt::format("{}: {}: {}\n", row.name, to_text(row.status.verdict), row.status.detail);
    } else if (compared.rounds > 0) {
      rows.push_back(
          {row.name, time_cell(row.time_ns), speedup_cell(row.speedup), rate_cell(row, compared, spec, problem), what});
    }
  }
  return rounds_text(compared, protocol) + table_text(rows) + details;
}

std::string steps_text(const SideBySide& compared) {
  std::vector<Cells> rows{{std::string(to_text(compared.regime)), "up to it", "its share", "step"}};
  for (const SideBySideRow& row : compared.rows)
    for (const StepTimes& step : row.steps)
      rows.push_back({row.name, time_text(step.up_to_ns),
                      fmt::format("{:.1f} % [{:.1f}, {:.1f}]", 100 * step.share.value, 100 * step.share.interval.low,
                                  100 * step.share.interval.high),
                      step.name});
  return rows.size() > 1 ? table_text(rows) : "";
}

}  // namespace attune::cli
