// The end of an attempt: part of the transaction that stores its trial. Private to wisdom_*.cpp.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

#include "attune/bindings.hpp"

namespace attune {

// Removes the attempt at `configuration`, if there is one. Used inside a write transaction.
void end_attempt(SQLite::Database& database, std::int64_t session, const Configuration& configuration);

}  // namespace attune
