#include "advice/counters.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "advice/counter_names.hpp"
#include "attune/error.hpp"

namespace attune {
namespace {

constexpr CounterMetric all_metrics[] = {{metric::blocks, "blocks"},
                                         {metric::multiprocessors, "multiprocessors"},
                                         {metric::blocks_that_fit[0], "blocks that fit by their number"},
                                         {metric::blocks_that_fit[1], "blocks that fit by registers"},
                                         {metric::blocks_that_fit[2], "blocks that fit by shared memory"},
                                         {metric::blocks_that_fit[3], "blocks that fit by warps"},
                                         {metric::waves, "waves of blocks"},
                                         {metric::registers, "registers per thread"},
                                         {metric::warps_active, "% of the warps that fit"},
                                         {metric::multiprocessor_throughput, "% of the multiprocessors' rate"},
                                         {metric::dram_throughput, "% of the memory's rate"},
                                         {metric::dram_bytes, "bytes of memory"},
                                         {metric::load_sectors, "sectors of global loads"},
                                         {metric::load_requests, "requests of global loads"},
                                         {metric::load_efficiency, "% of loaded bytes that are used"},
                                         {metric::store_sectors, "sectors of global stores"},
                                         {metric::store_requests, "requests of global stores"},
                                         {metric::store_efficiency, "% of stored bytes that are used"},
                                         {metric::local_loads, "sectors of local loads"},
                                         {metric::local_stores, "sectors of local stores"},
                                         {metric::shared_wavefronts, "passes of shared memory"},
                                         {metric::bank_conflicts, "passes by bank conflicts"},
                                         {metric::active_threads, "threads per instruction"}};

using CsvCells = std::vector<std::string>;

// Takes one row of comma-separated values off the text (RFC 4180). A quoted cell may hold commas and line ends.
CsvCells take_row(std::string_view& rest) {
  CsvCells row(1);
  bool is_quoted = false;
  std::size_t i = 0;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    if (is_quoted) {
      if (c != '"')
        row.back() += c;
      else if (i + 1 < rest.size() && rest[i + 1] == '"')
        row.back() += rest[++i];
      else
        is_quoted = false;
    } else if (c == '"') {
      is_quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      break;
    } else if (c != '\r') {
      row.back() += c;
    }
  }
  rest.remove_prefix(std::min(rest.size(), i + 1));
  return row;
}

// Drops whole lines until one begins with the first name of the head. Returns false when none does.
bool skip_to_head(std::string_view& rest) {
  constexpr std::string_view head = "\"ID\",";
  while (!rest.empty() && !rest.starts_with(head)) {
    const std::size_t end = rest.find('\n');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return !rest.empty();
}

// Returns "1,048,576" and "12.5" as numbers; nothing for "n/a" and other text.
std::optional<double> number_in(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

// Returns 1000 for "Kbyte" and "Kbyte/s"; 1 for units without such a prefix. The profiler's prefixes are decimal.
double factor_of(std::string_view unit) {
  constexpr std::pair<std::string_view, double> prefixes[] = {
      {"Kbyte", 1e3}, {"Mbyte", 1e6}, {"Gbyte", 1e9}, {"Tbyte", 1e12}};
  for (const auto& [prefix, factor] : prefixes)
    if (unit.starts_with(prefix)) return factor;
  return 1;
}

std::string cell(const CsvCells& row, std::size_t column) { return column < row.size() ? row[column] : std::string(); }

}  // namespace

std::optional<double> Counters::find(const std::string& metric) const {
  const auto found = values.find(metric);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

std::span<const CounterMetric> counter_metrics() { return all_metrics; }

Counters read_counters(std::string_view text, const std::string& file) {
  const std::string how = "; it must be the output of: ncu --csv --page raw";
  if (!skip_to_head(text)) throw UsageError(file + " has no line that begins with \"ID\"," + how);
  const CsvCells names = take_row(text), units = take_row(text), launch = take_row(text);
  if (launch.size() != names.size())
    throw UsageError(file +
                     (launch.size() <= 1 ? " has no launch below its names and units" : " ends within a launch") + how);
  Counters counters;
  for (std::size_t column = 0; column < names.size(); ++column) {
    if (names[column] == "Kernel Name") counters.kernel = launch[column];
    if (names[column] == "device__attribute_display_name") counters.device = launch[column];
    if (const std::optional<double> value = number_in(launch[column]))
      counters.values[names[column]] = *value * factor_of(cell(units, column));
  }
  for (const CounterMetric& metric : all_metrics)
    if (!counters.find(std::string(metric.name))) counters.missing.emplace_back(metric.name);
  if (counters.missing.size() == std::size(all_metrics))
    throw UsageError(file + " has none of the metrics that are wanted, such as " + counters.missing.front() + how);
  return counters;
}

}  // namespace attune
