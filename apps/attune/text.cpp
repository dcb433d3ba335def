#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "apps/terminal/help_text.hpp"
#include "base/unix_ms.hpp"
#include "base/visible_text.hpp"

namespace attune::cli {
namespace {

struct ShownUnit {
  double nanoseconds;
  const char* name;
};

ShownUnit unit_for(double nanoseconds) {
  static constexpr std::array<ShownUnit, 3> units{{{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}}};
  constexpr double rounds_up = 0.99995;  // 999.95 us are shown as 1.000 ms
  for (const ShownUnit& unit : units)
    if (nanoseconds >= rounds_up * unit.nanoseconds) return unit;
  return {1, "ns"};
}

constexpr std::size_t least_free_columns = 24, own_line_column = 8;

}  // namespace

std::string four_digits(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size < 9.9995 ? 3 : size < 99.995 ? 2 : size < 999.95 ? 1 : 0);
}

std::string time_text(double nanoseconds) {
  const ShownUnit unit = unit_for(nanoseconds);
  return fmt::format("{} {}", four_digits(nanoseconds / unit.nanoseconds), unit.name);
}

std::string time_text(double nanoseconds, double low, double high) {
  const ShownUnit unit = unit_for(nanoseconds);
  return fmt::format("{} [{}, {}]", time_text(nanoseconds), four_digits(low / unit.nanoseconds),
                     four_digits(high / unit.nanoseconds));
}

// Six columns at most, up to 99,999x.
std::string ratio_text(double ratio) { return fmt::format("{:.{}f}x", ratio, ratio < 99.995 ? 2 : 0); }

std::string count_text(SpaceSize count) {
  const std::string digits = to_text(count);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string verdicts_text(const VerdictCounts& counts) {
  const auto right = counts.find(Verdict::ok);
  std::string text = fmt::format("{} right", right == counts.end() ? 0 : right->second);
  for (auto entry = counts.rbegin(); entry != counts.rend(); ++entry)
    if (entry->first != Verdict::ok) text += fmt::format(", {} {}", entry->second, to_text(entry->first));
  return text;
}

std::string in_lines(std::string_view given, std::size_t column) {
  std::istringstream words(visible_text(given));
  std::string line;
  std::size_t longest = 0;
  for (std::string word; words >> word;) {
    line += (line.empty() ? "" : " ") + word;
    longest = std::max(longest, columns_of(word));
  }
  const std::size_t columns = output_columns(), least_free = std::max(least_free_columns, longest);
  const bool is_narrow = columns < column + least_free && columns_of(line) + column > columns;
  if (!is_narrow || column <= own_line_column) return wrapped(line, columns, column);
  return "\n" + std::string(own_line_column, ' ') + wrapped(line, columns, own_line_column);
}

TextAndCommand advice_in(std::string_view given) {
  constexpr std::string_view before = ": attune ", in_parentheses = " (try";
  const std::size_t end = given.rfind(before);
  if (end == std::string_view::npos || given.find('\n', end) != std::string_view::npos) return {std::string(given), ""};
  std::string_view text = given.substr(0, end), command = given.substr(end + 2);
  if (text.ends_with(in_parentheses) && command.ends_with(')')) {
    text.remove_suffix(in_parentheses.size());
    command.remove_suffix(1);
    return {std::string(text), std::string(command)};
  }
  return {std::string(text) + ":", std::string(command)};
}

std::string in_lines_with_command(std::string_view given, std::size_t column) {
  const TextAndCommand advice = advice_in(given);
  if (advice.command.empty()) return in_lines(given, column);
  return in_lines(advice.text, column) + "\n" + std::string(column, ' ') + visible_text(advice.command);
}

std::string indented_line(std::string_view text) { return "  " + in_lines(text, 2) + "\n"; }

std::string note_line(std::string_view text) {
  constexpr std::string_view begin = "  note: ";
  return std::string(begin) + in_lines_with_command(text, begin.size()) + "\n";
}

std::string fact_line(std::string_view name, std::string_view text) {
  return fmt::format("  {:<{}}{}\n", name, fact_column - 2, in_lines(text, fact_column));
}

std::string utc_text(std::int64_t unix_ms) { return attune::utc_text(unix_ms, "%Y-%m-%d %H:%M UTC"); }

}  // namespace attune::cli
