// How a record, and what it won against, are shown.
#pragma once

#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "core/record.hpp"

namespace attune::cli {

// "1.83x [1.81, 1.85] over the default": from the final stage, with its 95 % interval.
std::string gain_text(const Record& record);
// "; unstable: ...", "; busy: ...", "; self-checked", or "".
std::string marks_text(const Record& record);
// Lines of two blanks and more, each with its end: the trade-offs between several objectives; "" when there is one.
std::string front_text(const Record& record, const std::vector<FinalistResult>& finalists);
// How far the winner is from the reference, whether it repeats, its energy: lines as above.
std::string winner_text(const Record& record, const std::vector<FinalistResult>& finalists);

}  // namespace attune::cli
