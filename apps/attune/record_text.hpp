// The text of a record, and of its rivals.
#pragma once

#include <string>
#include <vector>

#include "core/finalist_result.hpp"
#include "core/record.hpp"

namespace attune::cli {

// Returns "1.83x [1.81, 1.85] over the default": from the final stage, with its 95 % interval.
std::string gain_text(const Record& record);
// Returns "; unstable: ...", "; busy: ...", "; self-checked", or "".
std::string marks_text(const Record& record);
// Returns the trade-offs between several objectives, as lines indented by two blanks or more; "" for one objective.
std::string front_text(const Record& record, const std::vector<FinalistResult>& finalists);
// Returns the winner's distance from the reference, its determinism and its energy: lines as above.
std::string winner_text(const Record& record, const std::vector<FinalistResult>& finalists);

}  // namespace attune::cli
