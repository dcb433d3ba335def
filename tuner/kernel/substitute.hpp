// Puts values into the texts of entries and options.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

// Returns the C++ text of a value: a type name's C++ spelling, any other value's text.
std::string source_text(const Value& value);

// Returns the identifiers inside the <...> of an entry, each once, in order: "f<T, TILE>" -> T, TILE. An identifier
// after `::` belongs to the name before it and is left out.
std::vector<std::string> names_in_entry(std::string_view entry);

// An element of [compile] options: "--maxrregcount={REGISTERS} if REGISTERS > 0".
struct OptionTemplate {
  std::string text;                     // "--maxrregcount={REGISTERS}"
  std::optional<Expression> condition;  // the expression after " if "
  std::vector<std::string> names;       // in braces, each once, in order; names of the condition are left out
};
// Throws UsageError for an unclosed brace, for braces around anything but a name, and for a condition that is not an
// expression.
OptionTemplate parse_option(std::string_view option);
// Returns the option for `scope`, or nothing if its condition does not hold. Throws Error if a name is not bound or the
// condition is undefined.
std::optional<std::string> instantiate_option(const OptionTemplate& option, const Scope& scope);

}  // namespace attune
