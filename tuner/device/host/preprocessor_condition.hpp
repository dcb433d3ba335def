// What a preprocessor condition of a kernel is worth on the host device, as far as that is certain without compiling:
// the macros that tell GPU compilers from the host device's decide; others count as unknown. Pure.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace attune {

using MacroNames = std::set<std::string, std::less<>>;

// Is the macro defined on the host: 1, 0, or unknown. `left_out`: further macros that are not.
std::optional<long long> defined_on_host(std::string_view macro, const MacroNames& left_out);

// The value of what stands behind #if or #elif, without comments and continued lines. Unknown too if it is malformed.
std::optional<long long> value_on_host(std::string_view condition, const MacroNames& left_out);

}  // namespace attune
