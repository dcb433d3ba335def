// The text of quantities.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "attune/kernel_spec.hpp"
#include "attune/search_space.hpp"
#include "core/verdict_counts.hpp"
#include "kernel/roofline.hpp"

namespace attune::cli {

std::string four_digits(double value);      // "1.371", "13.71", "1371"; three of them behind the point at most
std::string time_text(double nanoseconds);  // "137.1 us"
std::string ratio_text(double ratio);       // "1.56x"
std::string count_text(SpaceSize count);    // "1,234,567"
// The rates by [metrics] for a time, in 10^9 per second; nothing where a line is absent.
struct Rates {
  std::optional<double> gigabytes, gigaflops, gigaitems;
};
Rates rates_of(const KernelSpec& spec, const Problem& problem, const Configuration& configuration, double nanoseconds);
// Returns them as text: "3.91 TB/s", "51.2 TFLOP/s, 2.1 Gpoints/s", or "".
std::string rate_text(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                      double nanoseconds);
// Returns what a table shows of them: the one that says most, which is that of operations or items where a byte comes
// with many of them, else that of bytes. With `all` it returns all of them.
std::string rate_cell(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                      double nanoseconds, bool all);
// Returns "83 % of the measured copy ceiling", or "".
std::string bound_text(const std::optional<Bound>& bound);
// Returns the text of a ceiling: "4.10 TB/s", "5.3 us".
std::string quantity_text(double value, const std::string& unit);
// Returns "2 right, 2 timeout, 8 compile_error": the right ones, then those that came furthest.
std::string verdicts_text(const VerdictCounts& counts);
std::string utc_text(std::int64_t unix_ms);  // "2026-01-31 12:00 UTC"

// Returns text of others, its control characters shown and its white space as single blanks, in lines that fit. It
// begins at this column, and so does each further line.
std::string in_lines(std::string_view given, std::size_t column);

// Returns the same for a text that may end in a command, as "...; to make one: attune tune reduce". The command has a
// line of its own, unbroken, so that it can be copied.
std::string in_lines_with_command(std::string_view given, std::size_t column);

}  // namespace attune::cli
