// Attempts of a WisdomStore.
#include <SQLiteCpp/Statement.h>

#include <algorithm>

#include "core/bindings_json.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

void bind_attempt_key(SQLite::Statement& statement, std::int64_t session, const Configuration& configuration) {
  statement.bind(":session_id", session);
  statement.bind(":configuration", bindings_json(configuration));
}

// Returns the attempt at a configuration, if any. A damaged attempt counts as absent, and is overwritten.
std::optional<Attempt> present_attempt(SQLite::Database& database, std::int64_t session,
                                       const Configuration& configuration) {
  SQLite::Statement select(database, R"sql(
    SELECT * FROM attempt WHERE session_id = :session_id AND configuration = :configuration
  )sql");
  bind_attempt_key(select, session, configuration);
  return select.executeStep() ? read_row<Attempt>(select) : std::nullopt;
}

// Stores an attempt. An existing row keeps its id, and so its place in the order.
void put_attempt(SQLite::Database& database, std::int64_t session, const Attempt& attempt) {
  SQLite::Statement put(database, R"sql(
    INSERT INTO attempt(session_id, configuration, begun, alone)
    VALUES (:session_id, :configuration, :begun, :alone)
    ON CONFLICT(session_id, configuration) DO UPDATE SET begun = excluded.begun, alone = excluded.alone
  )sql");
  bind_attempt_key(put, session, attempt.configuration);
  put.bind(":begun", attempt.begun);
  put.bind(":alone", attempt.alone);
  put.exec();
}

}  // namespace

void end_attempt(SQLite::Database& database, std::int64_t session, const Configuration& configuration) {
  SQLite::Statement remove(database, R"sql(
    DELETE FROM attempt WHERE session_id = :session_id AND configuration = :configuration
  )sql");
  bind_attempt_key(remove, session, configuration);
  remove.exec();
}

std::vector<Attempt> WisdomStore::begin_attempts(std::int64_t session, const std::vector<Configuration>& configurations,
                                                 bool alone, std::span<const Trial> verdicts) {
  std::vector<Attempt> begun;
  state_->connection.write([&](SQLite::Database& database) {
    begun.clear();
    state_->require_session(database, session);
    for (const Trial& verdict : verdicts) insert_trial(database, session, verdict);
    for (const Configuration& configuration : configurations) {
      Attempt& attempt =
          begun.emplace_back(present_attempt(database, session, configuration).value_or(Attempt{configuration, 0, 0}));
      ++attempt.begun;
      if (alone) ++attempt.alone;
      put_attempt(database, session, attempt);
    }
  });
  return begun;
}

void WisdomStore::withdraw_attempts(std::int64_t session, const std::vector<Configuration>& configurations,
                                    bool alone) {
  state_->connection.write([&](SQLite::Database& database) {
    for (const Configuration& configuration : configurations) {
      std::optional<Attempt> attempt = present_attempt(database, session, configuration);
      if (!attempt) continue;
      if (--attempt->begun == 0) {
        end_attempt(database, session, configuration);
        continue;
      }
      attempt->alone = std::clamp(attempt->alone - (alone ? 1 : 0), 0, attempt->begun);
      put_attempt(database, session, *attempt);
    }
  });
}

std::vector<Attempt> WisdomStore::open_attempts(std::int64_t session) {
  std::vector<Attempt> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql( SELECT * FROM attempt WHERE session_id = :session_id ORDER BY id )sql");
    select.bind(":session_id", session);
    found = state_->read_all<Attempt>("attempt", select);
  });
  return found;
}

}  // namespace attune
