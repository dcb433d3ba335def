// Bindings as JSON objects: how they are stored. `{"BLOCK":256,"FAST":true,"SCALE":0.1,"ORDER":"Order::rows"}`: in
// order, without spaces; a real has a fraction or an exponent, an integer neither. Pure; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attune/bindings.hpp"

namespace attune {

// Returns the one text of these bindings. Throws UsageError naming a value that is not finite, or a name that is not
// UTF-8: neither can be stored.
std::string bindings_json(const Bindings& bindings);

// Returns the bindings of which bindings_json() makes this text; nothing for any other text, and for more than 4,096
// names. Safe on any bytes.
std::optional<Bindings> bindings_of_json(std::string_view text);

}  // namespace attune
