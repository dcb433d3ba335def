// Bindings as JSON objects, the form in which they are stored:
// `{"BLOCK":256,"FAST":true,"SCALE":0.1,"ORDER":"Order::rows"}`. The bindings are in order, without spaces. A real has
// a fraction or an exponent; an integer has neither. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/bindings.hpp"

namespace attune {

// Returns the text of these bindings; there is only one. Throws UsageError naming a value that is not finite or a name
// that is not UTF-8, because neither can be stored.
std::string bindings_json(const Bindings& bindings);

// Returns the bindings for which bindings_json() gives this text. Returns nothing for any other text and for more than
// 4,096 names. Safe on any bytes.
std::optional<Bindings> bindings_of_json(std::string_view text);

// The same for several configurations: an object a line, without an end of line behind the last one.
std::string configurations_json(std::span<const Configuration> configurations);
std::optional<std::vector<Configuration>> configurations_of_json(std::string_view text);

}  // namespace attune
