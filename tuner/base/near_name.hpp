// "did you mean": the known name nearest to a misspelt one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

// Returns the name with the least edit distance, at most a third of the word's length (at least 2).
std::optional<std::string> nearest_name(std::string_view word, const std::vector<std::string>& known);
// Returns "; did you mean `TILE`?", "; known: A, B, C" when nothing is near, or "" when nothing is known.
std::string suggestion(std::string_view word, const std::vector<std::string>& known);

}  // namespace attune
