// The names that a kernel may define, and the names that its expressions may use. Pure checks; they throw Fault.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "attune/kernel_spec.hpp"
#include "spec/fault.hpp"

namespace attune {

// Returns whether the word has a fixed meaning in C++, in CUDA or for a compiler: keywords, threadIdx and similar
// names, `defined`, and words that begin like `__x` or `_X`.
bool is_taken_by_cpp(std::string_view word);

// Throws a key fault unless `name` may name a problem entry or a parameter. It must be an identifier without another
// meaning in C++ or in an expression. `what`: "parameter".
void require_new_name(std::string_view name, std::string_view what, const std::string& place);

// The names that an expression may mention besides problem names.
struct AllowedNames {
  bool parameters = false;
  bool device = false;
  std::string_view subject;  // subject of messages: "a restriction"
};

// Throws a fault if the expression mentions a name that is unknown or not allowed. `shift` is the offset of the
// expression in the string at `place`.
void require_known_names(const KernelSpec& spec, const Expression& expression, const AllowedNames& allowed,
                         const std::string& place, std::size_t shift = 0);

// Checks a formula without names. Throws a fault unless its value is an integer >= `least`. Formulas with names pass.
void require_integer_if_constant(const Expression& expression, std::int64_t least, const std::string& place);

// Returns the text with each identifier, unless in quotes or after `device.`, replaced by what `replacement` returns
// for it. Stops once the result has `most` bytes.
std::string with_names_replaced(std::string_view text, const std::function<std::string(std::string_view)>& replacement,
                                std::size_t most);

// Returns where the identifier `name` first begins in `text`, not counting quotes and what follows `device.`; 0 if
// nowhere.
std::size_t find_identifier(std::string_view text, std::string_view name);

}  // namespace attune
