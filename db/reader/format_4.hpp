// An adapter for databases of format 4, which lack the view application_record_1.
#pragma once

#include <cstdint>

#include "db/reader/sqlite_reading.hpp"

namespace attune {

// A subquery with the columns of application_record_1. Its bindings are made text by SQL.
extern const char* const records_of_format_4;

// Returns whether a row of record_view has the hash of its content.
bool is_sound_of_format_4(ReadConnection& connection, std::int64_t id);

}  // namespace attune
