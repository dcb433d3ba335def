// The text of quantities, and text in lines that fit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "attune/search_space.hpp"
#include "core/verdict_counts.hpp"

namespace attune::cli {

std::string four_digits(double value);      // "1.371", "13.71", "1371"; three of them behind the point at most
std::string time_text(double nanoseconds);  // "137.1 us"
// Returns "20.65 ms [20.24, 21.30]": a time and the ends of its interval, in one unit.
std::string time_text(double nanoseconds, double low, double high);
std::string ratio_text(double ratio);     // "1.56x"
std::string count_text(SpaceSize count);  // "1,234,567"
// Returns "2 right, 2 timeout, 8 compile_error": the right ones, then those that came furthest.
std::string verdicts_text(const VerdictCounts& counts);
std::string utc_text(std::int64_t unix_ms);  // "2026-01-31 12:00 UTC"

// Returns text of others, its control characters shown and its white space as single blanks, in lines that fit. It
// begins at this column, and so does each further line. Where hardly anything fits behind the column, the text begins
// in a line of its own.
std::string in_lines(std::string_view given, std::size_t column);

// A text, and the command in which it ended: "...; to make one: attune tune reduce", "... (try: attune tune reduce)".
struct TextAndCommand {
  std::string text, command;  // the command is "" if there is none
};
TextAndCommand advice_in(std::string_view given);
// Returns the same as in_lines(). A command at its end has a line of its own, unbroken, so that it can be copied.
std::string in_lines_with_command(std::string_view given, std::size_t column);

// Returns "  TEXT" in lines that fit, with a line end.
std::string indented_line(std::string_view text);
// Returns "  note: TEXT" in lines that fit, with a line end.
std::string note_line(std::string_view text);
// Returns "  NAME           TEXT" in lines that fit, with a line end: a fact about a record or a plan.
std::string fact_line(std::string_view name, std::string_view text);
constexpr std::size_t fact_column = 17;  // where the text of a fact begins

}  // namespace attune::cli
