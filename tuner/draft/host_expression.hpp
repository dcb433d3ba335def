// Integer expressions of host code, as attune writes them. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace attune::draft {

// What a name of the code stands for: a text of attune's expressions (a name or a number), or more C++.
struct Meaning {
  std::string text, code;
};
// Finds a name: "n", "block.x". Nothing if it is not known.
using Meanings = std::function<std::optional<Meaning>(const std::string& name)>;

// Returns the expression in attune's words: `(n + 255) / 256`, `CEIL_DIV(n, 256)` and `(n - 1) / 256 + 1` become
// `ceil_div(n, 256)`; casts are left out. Returns nothing for what attune cannot say.
std::optional<std::string> translated(std::string_view code, const Meanings& meanings);

// Returns the value of an expression without names, or nothing.
std::optional<std::int64_t> constant_value(const std::string& expression);

}  // namespace attune::draft
