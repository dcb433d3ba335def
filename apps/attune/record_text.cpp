#include "record_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "attune/error.hpp"
#include "base/counted.hpp"
#include "configuration_text.hpp"
#include "measure/objective.hpp"
#include "text.hpp"
#include "worker/error_text.hpp"

namespace attune::cli {
namespace {

constexpr int objective_width = 14;  // characters of an objective's name or value

// Returns nothing for objectives that only a later version supports.
std::optional<Objectives> objectives_of(const Record& record) {
  try {
    return Objectives(record.key.objective);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string beside_best(const FinalistResult& finalist, const Record& record, bool verbose) {
  return difference_text(finalist.configuration, verbose ? Configuration() : record.configuration, "the best");
}

}  // namespace

bool is_of_host(const Record& record) { return record.key.device_class.starts_with("host|"); }

std::optional<Bound> shown_bound(const KernelSpec& spec, const Record& record, double nanoseconds,
                                 std::span<const Ceiling> ceilings) {
  const std::optional<Bound> bound = bound_of(spec, record.key.problem, record.configuration, nanoseconds, ceilings);
  return bound && bound->fraction > 1 && is_of_host(record) ? std::nullopt : bound;
}

std::string gain_text(const Record& record) {
  if (const std::string_view failure = default_failure(record); !failure.empty())
    return say_default_failed(failure) + ", so there is nothing to compare with";
  if (record.default_verdict == Verdict::restricted)
    return "the default configuration is not deterministic, so there is nothing to compare with";
  if (record.default_ns <= 0) return "the time of the default configuration is not known";
  const std::string gain =
      fmt::format("{:.2f}x [{:.2f}, {:.2f}]", record.speedup, record.speedup_low, record.speedup_high);
  const std::optional<Objectives> objectives = objectives_of(record);
  const std::string objective = objectives ? objectives->name(0) : record.key.objective;
  if (objective == "time") {
    // Medians of the times alone would give another quotient.
    const bool divides =
        fmt::format("{:.2f}", record.default_ns / record.median_ns) == fmt::format("{:.2f}", record.speedup);
    if (record.speedup == 1 && record.speedup_low == 1 && record.speedup_high == 1)
      return "1.00x over the default: nothing is surely faster";
    return gain + " over the default" + (divides ? "" : " (median of paired ratios)");
  }
  return fmt::format("{} over the default in `{}` ({:.4g}, not {:.4g}); in time {:.2f}x", gain, objective, record.value,
                     record.default_value, record.default_ns / record.median_ns);
}

std::string marks_text(const Record& record) {
  std::string text;
  if (record.unstable && record.rounds == 0)  // of a version that did not store them
    text += "; unstable";
  else if (record.unstable && record.rounds_dropped == 0)
    text += fmt::format("; unstable: measured in {}", counted(record.rounds, "round"));
  else if (record.unstable)
    text += fmt::format("; unstable: {} of {} rounds were not steady", record.rounds_dropped,
                        std::max(record.rounds, record.rounds_dropped));
  if (record.protocol > 0 && !is_of_present_meaning(record.protocol)) text += "; stale: measured in an earlier way";
  if (record.origin != Origin::measured)
    text += fmt::format("; {}{}{}", to_text(record.origin), record.source.empty() ? "" : " from ", record.source);
  if (record.busy) text += "; busy: other processes were on the device";
  if (!record.settled) text += "; not settled";
  if (record.boards_differ) text += "; boards differ: which configuration is the best depends on the board";
  if (record.self_checked) text += "; self-checked";
  if (record.narrowed) text += "; narrowed: a part of the space was searched";
  return text;
}

std::string choice_text(const Record& record) {
  switch (record.choice) {
    case Choice::fastest:
      break;
    case Choice::leaner:
      return "as fast as the fastest within 0.25 %: of those the leanest wins, then the first by name";
    case Choice::default_stays:
      return "the default stays: the fastest does not surely beat it";
    case Choice::record_stays:
      return "the earlier record stays: the fastest does not surely beat it";
  }
  return "";
}

std::string front_text(const Record& record, const std::vector<FinalistResult>& finalists, bool verbose) {
  const std::optional<Objectives> known = objectives_of(record);
  if (!known || known->size() < 2 || finalists.empty()) return "";
  const Objectives& objectives = *known;
  const std::size_t column = 2 + objectives.size() * objective_width + 2;
  std::string text = "  trade-offs: no finalist is better than one of these in all objectives\n  ";
  for (std::size_t i = 0; i < objectives.size(); ++i)
    text += fmt::format("{:>{}}", objectives.name(i), objective_width);
  text += "  " + in_lines(verbose ? "configuration" : "what differs from the best", column) + "\n";
  for (const FinalistResult& result : finalists) {
    if (!result.pareto || result.objective_values.size() != objectives.size()) continue;
    text += "  ";
    for (std::size_t i = 0; i < result.objective_values.size(); ++i) {
      const double value = result.objective_values[i];
      const std::string shown = objectives.name(i) == "time" ? time_text(value) : fmt::format("{:.5g}", value);
      text += fmt::format("{:>{}}", shown, objective_width);
    }
    text += "  " + in_lines(beside_best(result, record, verbose), column) + "\n";
  }
  return text;
}

std::string finalists_text(const Record& record, const std::vector<FinalistResult>& finalists, bool verbose) {
  if (finalists.empty()) return "";
  constexpr std::size_t time_columns = 9, column = fact_column + time_columns + 2;
  std::string text = fmt::format("  {:<{}}{:>{}}  {}\n", "finalists", fact_column - 2, "time", time_columns,
                                 verbose ? "configuration" : "what differs from the best");
  for (const FinalistResult& finalist : finalists)
    text += fmt::format("{:{}}{:>{}}  {}\n", "", fact_column, time_text(finalist.measurement.median_ns), time_columns,
                        in_lines(beside_best(finalist, record, verbose), column));
  return text;
}

std::string winner_text(const Record& record, const std::vector<FinalistResult>& finalists) {
  const auto winner = std::find_if(finalists.begin(), finalists.end(), [&](const FinalistResult& result) {
    return result.configuration == record.configuration;
  });
  if (winner == finalists.end()) return "";
  const Numerics& numerics = winner->numerics;
  std::string off = fmt::format("off the reference by {:.3g} at most{}, {:.3g} relative, {} ulp", numerics.max_absolute,
                                share_text(numerics.max_share), numerics.max_relative, numerics.max_ulp);
  if (winner->deterministic) off += *winner->deterministic ? "; repeats bit for bit" : "; differs from run to run";
  std::string text = fact_line("numerics", off);
  if (winner->energy_j)
    text += fact_line("energy",
                      fmt::format("{:.4g} J a launch, +-{:.1f} %", *winner->energy_j, 100 * winner->energy_error));
  return text;
}

}  // namespace attune::cli
