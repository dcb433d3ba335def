// The text of objectives, such as `time, energy * time`, which is part of a record's key. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune {

// Returns the formulas, trimmed. They are separated by the commas outside parentheses; some may be empty.
std::vector<std::string_view> objective_formulas(std::string_view text);

// Returns the canonical text: the formulas as written, ", " between them.
std::string canonical_objective(std::string_view text);

}  // namespace attune
