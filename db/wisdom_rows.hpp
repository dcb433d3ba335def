// Rows of the wisdom database as values and back: one list of fields per table, which binding, reading and hashing
// share. Columns: schema.sql.
#pragma once

#include <SQLiteCpp/Statement.h>

#include <optional>
#include <string>

#include "core/record.hpp"
#include "core/trial.hpp"
#include "db/wisdom_store.hpp"

namespace attune {

// Parameters :kernel :code :contract :device_class :problem_text :problem :regime :objective of a look-up by key, all
// of which the statement must name.
void bind_key(SQLite::Statement& statement, const RecordKey& key);

// The columns of `record` that are not ids, row_hash included. Throws UsageError for a record whose times or ratios are
// not finite.
void bind_record(SQLite::Statement& statement, const Record& record);
// A row of record_view, or nothing when its hash does not match its content.
std::optional<Record> read_record(SQLite::Statement& statement);
// Hexadecimal SHA-256 over all fields of a record in a fixed order: docs/formats/wisdom.md.
std::string row_hash(const Record& record);

void bind_session(SQLite::Statement& statement, const SessionRow& session);
// A row of session_view, or nothing when it holds what no attune writes.
std::optional<SessionRow> read_session(SQLite::Statement& statement);

void bind_trial(SQLite::Statement& statement, const Trial& trial);
// A row of trial, or nothing when it holds what no attune writes.
std::optional<Trial> read_trial(SQLite::Statement& statement);

void bind_finalist(SQLite::Statement& statement, const FinalistResult& result);
// A row of finalist, or nothing when it holds what no attune writes.
std::optional<FinalistResult> read_finalist(SQLite::Statement& statement);

void bind_ceiling(SQLite::Statement& statement, const Ceiling& ceiling);
// A row of ceiling, or nothing when it holds what no attune writes.
std::optional<Ceiling> read_ceiling(SQLite::Statement& statement);

// A row of attempt, or nothing when it holds what no attune writes.
std::optional<Attempt> read_attempt(SQLite::Statement& statement);

// Parameters :configuration :verdict :detail.
void bind_quarantine(SQLite::Statement& statement, const Trial& trial);
// A row of quarantine, or nothing when it holds what no attune writes.
std::optional<QuarantineEntry> read_quarantine(SQLite::Statement& statement);

}  // namespace attune
