// C++ text of values, literals and comments, for generated headers. Texts may come from untrusted files: none of them
// can end a literal or a comment. Pure.
#pragma once

#include <string>
#include <string_view>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Returns the text as a string literal, with its quotes.
std::string cpp_string(std::string_view text);
// Returns the text in a form that fits into one line of a `//` comment: white space as single blanks, at most 4,000
// bytes.
std::string cpp_comment(std::string_view text);
// Returns "4096", "true", "0.5" or a string literal: an initializer of a member.
std::string cpp_literal(const Value& value);
// Returns "{4096, "float"}": the values in their order.
std::string cpp_braces(const Bindings& bindings);
// Returns the member of the generated structures that holds the value of a name.
std::string cpp_member(std::string_view name);
// Returns the C++ type of the members that hold such values.
std::string_view cpp_type(const Value& value);
// Returns C++ code for the text of an entry: an expression of type std::string that takes the values of names from `p`
// and `c`.
std::string cpp_entry_text(const KernelSpec& spec, std::string_view entry);
// Returns the label of a step, by its position: "step 1 `reduce<T>`".
std::string step_label(const Step& step, std::size_t position);

}  // namespace attune
