// Lists of problems, as `attune tune --problems` takes them: ranges of sizes, and files with one problem or range a
// line. Pure, but for reading the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attune/kernel_spec.hpp"

namespace attune {

// Most problems of one list: each is searched for, so that more are a mistake of the range.
inline constexpr std::size_t most_problems = 1000;

// Returns the problems of a text such as "n=2**16..2**28 times 4 T=float": each combination of the values, the last
// name varying fastest. `A..B times F` multiplies from A on while the value is B at most, `A..B plus D` adds. Throws
// UsageError for a range without a step, with a step that does not grow, or with bounds in the wrong order, and for
// what parse_problem() refuses.
std::vector<Problem> problems_in(const KernelSpec& spec, std::string_view text, std::string_view device_kind);

// Returns the problems of `text_or_file`, each once. A text with a `=` is a range, unless a file has that name. A file
// has one problem or range a line; `#` begins a comment. Throws UsageError that names file and line, and for a list
// without a problem.
std::vector<Problem> list_problems(const KernelSpec& spec, const std::string& text_or_file,
                                   std::string_view device_kind);

}  // namespace attune
