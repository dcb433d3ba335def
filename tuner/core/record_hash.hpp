// The hash that a stored record carries. Pure; any thread.
#pragma once

#include <string>

#include "core/record.hpp"

namespace attune {

// Returns the hexadecimal SHA-256 over what applications read of a record (key_fields(), application_fields()), each
// preceded by its length: docs/formats/wisdom.md. Throws UsageError as bindings_json() does.
std::string record_hash(const Record& record);

}  // namespace attune
