// The hash that a stored record carries, and what is verified of a record that is read. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "core/record.hpp"

namespace attune {

// Returns the hexadecimal SHA-256 over what applications read of a record (key_fields(), application_fields()), each
// preceded by its length: docs/formats/wisdom.md. Throws UsageError as bindings_json() does.
std::string record_hash(const Record& record);

// Returns whether a record that was read can be what attune stored with this hash: its numbers are possible, and
// record_hash() of it is the hash. A table that has checked its bytes in another way gives no hash.
bool is_sound(const Record& record, const std::optional<std::string>& hash);

}  // namespace attune
