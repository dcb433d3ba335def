// Pieces of the transactions that trials and attempts share. Private to wisdom_*.cpp.
#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>

#include "attune/bindings.hpp"
#include "core/trial.hpp"

namespace attune {

// Removes the attempt at `configuration`, if there is one. Used inside a write transaction.
void end_attempt(SQLite::Database& database, std::int64_t session, const Configuration& configuration);

// Stores a trial, which ends the attempt at its configuration. Used inside a write transaction.
void insert_trial(SQLite::Database& database, std::int64_t session, const Trial& trial);

}  // namespace attune
