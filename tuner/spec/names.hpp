// The names that a kernel may define, and the names that its expressions may use. Pure checks; they throw Fault.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "attune/kernel_spec.hpp"
#include "spec/fault.hpp"

namespace attune {

// Returns whether C++, CUDA or a compiler has given the word a meaning that nothing can take away: keywords, threadIdx
// and its like, `defined`, and what begins as `__x` or `_X` does.
bool is_taken_by_cpp(std::string_view word);

// Throws a key fault unless `name` may name a problem entry or a parameter. It must be an identifier of C++ without
// another meaning in C++ or in an expression. `what`: "parameter".
void require_new_name(std::string_view name, std::string_view what, const std::string& place);

// Names that an expression may mention besides problem names.
struct Allowed {
  bool parameters = false;
  bool device = false;
  std::string_view subject;  // of messages: "a restriction"
};

// Throws a fault if the expression mentions an unknown name, or one not allowed there. `shift` is the offset of the
// expression in the string at `place`.
void require_known_names(const KernelSpec& spec, const Expression& expression, const Allowed& allowed,
                         const std::string& place, std::size_t shift = 0);

// Evaluates a formula without names at once. Throws a fault unless it is an integer >= `least`.
void require_integer_if_constant(const Expression& expression, std::int64_t least, const std::string& place);

// Returns the text with each identifier, outside quotes and not after `device.`, replaced by what `replacement` returns
// for it. Stops once the result has `most` bytes.
std::string with_names_replaced(std::string_view text, const std::function<std::string(std::string_view)>& replacement,
                                std::size_t most);

// Returns where the identifier `name` begins in `text`, outside quotes and not after `device.`; 0 if it does not occur.
std::size_t find_identifier(std::string_view text, std::string_view name);

}  // namespace attune
