#include "imports/times_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "attune/error.hpp"
#include "base/near_name.hpp"
#include "core/verdict.hpp"
#include "recordings/recording_table.hpp"

namespace attune {
namespace {

struct TimeColumn {
  std::string_view name;
  double nanoseconds;
};
constexpr TimeColumn time_columns[] = {
    {"time_ns", 1}, {"median_ns", 1}, {"time_us", 1e3}, {"time_ms", 1e6}, {"time_s", 1e9}};

template <typename Number>
std::optional<Number> number_in(const std::string& text) {
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

Value value_in(const std::string& text) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  if (const auto whole = number_in<std::int64_t>(text)) return *whole;
  if (const auto real = number_in<double>(text)) return *real;
  return text;
}

// Which column holds what.
struct TableColumns {
  std::vector<std::size_t> parameters;
  std::optional<std::size_t> time, verdict;
  double nanoseconds = 1;  // of the time's unit
};

TableColumns columns_of(const std::vector<std::string>& names, const std::set<std::string>& parameters,
                        TimesTable& table, RecordingTable& rows) {
  TableColumns columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto* const unit = std::ranges::find(time_columns, std::string_view(names[i]), &TimeColumn::name);
    if (parameters.contains(names[i])) {
      columns.parameters.push_back(i);
      rows.add_parameter(names[i], {});
    } else if (unit != std::end(time_columns) && !columns.time) {
      columns.time = i;
      columns.nanoseconds = unit->nanoseconds;
    } else if (names[i] == "verdict") {
      columns.verdict = i;
    } else {
      table.ignored.push_back(names[i]);
    }
  }
  if (!columns.time)
    throw UsageError(
        fmt::format("no column holds times: expected time_ns, time_us, time_ms, time_s or median_ns, found {}; this is "
                    "neither JSON, nor records of attune, nor a table of configurations and times",
                    fmt::join(names, ", ")));
  if (columns.parameters.empty())
    throw UsageError("no column is a parameter of the kernel" + suggestion("", {parameters.begin(), parameters.end()}) +
                     "; rename columns by --map \"COLUMN=NAME\"");
  return columns;
}

RecordedTrial trial_of(const std::vector<std::string>& row, const TableColumns& columns) {
  RecordedTrial trial;
  if (columns.verdict && !row[*columns.verdict].empty()) {
    const auto verdict = verdict_from_text(row[*columns.verdict]);
    if (!verdict) throw UsageError(fmt::format("`{}` is no verdict", row[*columns.verdict]));
    trial.verdict = *verdict;
  }
  if (trial.verdict != Verdict::ok) return trial;
  const std::string& text = row[*columns.time];
  const auto time = number_in<double>(text);
  if (!time || !(*time > 0))
    throw UsageError(
        fmt::format("its time is `{}`: expected a number above 0, or a column `verdict` that says how it "
                    "failed",
                    text));
  trial.median_ns = *time * columns.nanoseconds;
  return trial;
}

}  // namespace

TimesTable read_times(const std::vector<std::vector<std::string>>& rows, const std::set<std::string>& parameters) {
  TimesTable table;
  RecordingTable collected;
  const TableColumns columns = columns_of(rows.front(), parameters, table, collected);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    try {
      std::vector<Value> values;
      for (const std::size_t column : columns.parameters) values.push_back(value_in(rows[i][column]));
      collected.add_row(values, trial_of(rows[i], columns));
      if (collected.rows() != i) throw UsageError("a row before it has this configuration");
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("row {}: {}", i, error.what()));
    }
  }
  if (rows.size() == 1) throw UsageError("it has no rows");
  std::move(collected).finish(table.recording);
  table.recording.tool = "CSV";
  return table;
}

}  // namespace attune
