// Identifiers: the names of kernels, parameters and problem values. Pure.
#pragma once

#include <string_view>

namespace attune {

// [A-Za-z_][A-Za-z0-9_]*
bool is_identifier(std::string_view text) noexcept;
// An identifier, or several joined by `::`.
bool is_qualified_name(std::string_view text) noexcept;

}  // namespace attune
