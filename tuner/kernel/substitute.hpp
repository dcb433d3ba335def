// Values put into the texts of entries and options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

// How a value stands in C++: a type name by its C++ spelling, anything else by its text.
std::string source_text(const Value& value);

// The identifiers inside the <...> of an entry, each once, in order: "f<T, TILE>" -> T, TILE. Not those behind `::`,
// which belong to the name before it.
std::vector<std::string> names_in_entry(std::string_view entry);

// An element of [compile] options: "--maxrregcount={REGISTERS} if REGISTERS > 0".
struct OptionTemplate {
  std::string text;                     // "--maxrregcount={REGISTERS}"
  std::optional<Expression> condition;  // what stands behind " if "
  std::vector<std::string> names;       // in braces, each once, in order; without those of the condition
};
// Throws UsageError for an unclosed brace, braces around what is no name, or a condition that is no expression.
OptionTemplate parse_option(std::string_view option);
// The option for `scope`, or nothing when its condition does not hold. Throws Error when a name is not bound or the
// condition is undefined.
std::optional<std::string> instantiate_option(const OptionTemplate& option, const Scope& scope);

}  // namespace attune
