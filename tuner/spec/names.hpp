// Which names a kernel may give, and which names an expression may use where. Pure checks; they throw Fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "attune/kernel_spec.hpp"
#include "spec/fault.hpp"

namespace attune {

// Throws a key fault unless `name` may name a problem entry or a parameter: an identifier of C++ that means nothing
// else in C++ or in an expression. `what`: "parameter".
void require_new_name(std::string_view name, std::string_view what, const std::string& place);

// What an expression may mention besides problem names.
struct Allowed {
  bool parameters = false;
  bool device = false;
  std::string_view who;  // "a restriction": the subject of messages
};

// Throws a fault if the expression mentions a name that the kernel lacks or that is not allowed there. `shift` is where
// the expression begins in the string at `place`.
void require_known_names(const KernelSpec& spec, const Expression& expression, const Allowed& allowed,
                         const std::string& place, std::size_t shift = 0);

// A formula that mentions nothing is evaluated at once: throws a fault unless it is an integer >= `least`.
void require_integer_if_constant(const Expression& expression, std::int64_t least, const std::string& place);

// Where the identifier `name` begins in `text`, outside quotes and not behind `device.`; 0 if it does not occur.
std::size_t find_identifier(std::string_view text, std::string_view name);

}  // namespace attune
