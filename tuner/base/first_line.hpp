// The first line of a text.
#pragma once

#include <string_view>

namespace attune {

constexpr std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

}  // namespace attune
