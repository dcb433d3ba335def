// The hash that is stored with a record or a cover. is_sound() checks one that was read. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "core/cover.hpp"
#include "core/record.hpp"

namespace attune {

// Returns the hexadecimal SHA-256 over the fields that applications read of a record (key_fields(),
// application_fields()), each preceded by its length: docs/formats/wisdom.md. Throws UsageError as bindings_json()
// does.
std::string record_hash(const Record& record);

// Returns whether a record that was read can be what attune stored: its numbers are possible, and record_hash() of it
// is `hash`. A table that has checked its bytes in another way passes no hash.
bool is_sound(const Record& record, const std::optional<std::string>& hash);

// The same for a cover; its hash is over all of its fields.
std::string cover_hash(const Cover& cover);
bool is_sound(const Cover& cover, const std::optional<std::string>& hash);

}  // namespace attune
