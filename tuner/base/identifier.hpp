// Identifiers: the names of kernels, parameters and problem values. Pure.
#pragma once

#include <string_view>

namespace attune {

// Characters of identifiers, in every locale.
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_word(char c) noexcept { return is_letter(c) || is_digit(c); }

// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text) noexcept;
// An identifier, or several joined by `::`.
bool is_qualified_name(std::string_view text) noexcept;

}  // namespace attune
