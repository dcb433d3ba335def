// Attempts and quarantine of a WisdomStore.
#include "db/wisdom_attempts.hpp"

#include <SQLiteCpp/Statement.h>

#include <chrono>
#include <set>

#include "db/value_json.hpp"
#include "db/wisdom_rows.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

// Regime and objective do not matter: what takes a worker along does so however it is timed. Nor does the kernel's
// name, as in WisdomStore::candidates().
constexpr const char* select_entries = R"sql(
  SELECT * FROM quarantine_view
  WHERE code = :code AND contract = :contract AND device_class = :device_class
    AND problem_text = :problem_text AND problem = :problem
  ORDER BY made_ms, id
)sql";
constexpr const char* delete_entries = R"sql(
  DELETE FROM quarantine WHERE id IN (
    SELECT id FROM quarantine_view
    WHERE code = :code AND contract = :contract AND device_class = :device_class
      AND problem_text = :problem_text AND problem = :problem)
)sql";

void bind_quarantine_key(SQLite::Statement& statement, const RecordKey& key) {
  statement.bind(":code", key.code);
  statement.bind(":contract", key.contract);
  statement.bind(":device_class", key.device_class);
  statement.bind(":problem_text", key.problem.text());
  statement.bind(":problem", typed_json(key.problem));
}

void bind_attempt_key(SQLite::Statement& statement, std::int64_t session, const Configuration& configuration) {
  statement.bind(":session_id", session);
  statement.bind(":configuration", typed_json(configuration));
}

// A damaged one counts as absent, and is overwritten.
std::optional<Attempt> present_attempt(SQLite::Database& database, std::int64_t session,
                                       const Configuration& configuration) {
  SQLite::Statement select(database, R"sql(
    SELECT * FROM attempt WHERE session_id = :session_id AND configuration = :configuration
  )sql");
  bind_attempt_key(select, session, configuration);
  return select.executeStep() ? read_attempt(select) : std::nullopt;
}

// The row keeps its id, and with it its place in the order.
void put_attempt(SQLite::Database& database, std::int64_t session, const Configuration& configuration,
                 const Attempt& attempt) {
  SQLite::Statement put(database, R"sql(
    INSERT INTO attempt(session_id, configuration, begun, deaths)
    VALUES (:session_id, :configuration, :begun, :deaths)
    ON CONFLICT(session_id, configuration) DO UPDATE SET begun = excluded.begun, deaths = excluded.deaths
  )sql");
  bind_attempt_key(put, session, configuration);
  put.bind(":begun", attempt.begun);
  put.bind(":deaths", attempt.deaths);
  put.exec();
}

std::int64_t now_ms() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

void end_attempt(SQLite::Database& database, std::int64_t session, const Configuration& configuration) {
  SQLite::Statement remove(database, R"sql(
    DELETE FROM attempt WHERE session_id = :session_id AND configuration = :configuration
  )sql");
  bind_attempt_key(remove, session, configuration);
  remove.exec();
}

Attempt WisdomStore::begin_attempt(std::int64_t session, const Configuration& configuration,
                                   std::span<const Trial> verdicts) {
  Attempt attempt;
  state_->connection.write([&](SQLite::Database& database) {
    state_->require_session(database, session);
    for (const Trial& verdict : verdicts) insert_trial(database, session, verdict);
    attempt = Attempt{.configuration = configuration.text(), .begun = 0, .deaths = 0};
    if (auto present = present_attempt(database, session, configuration)) attempt = *std::move(present);
    ++attempt.begun;
    put_attempt(database, session, configuration, attempt);
  });
  return attempt;
}

void WisdomStore::withdraw_attempt(std::int64_t session, const Configuration& configuration) {
  state_->connection.write([&](SQLite::Database& database) {
    std::optional<Attempt> attempt = present_attempt(database, session, configuration);
    if (!attempt) return;
    if (--attempt->begun == 0) return end_attempt(database, session, configuration);
    put_attempt(database, session, configuration, *attempt);
  });
}

void WisdomStore::count_death(std::int64_t session, const Configuration& configuration) {
  state_->connection.write([&](SQLite::Database& database) {
    state_->require_session(database, session);
    Attempt attempt = present_attempt(database, session, configuration).value_or(Attempt{});
    ++attempt.deaths;
    put_attempt(database, session, configuration, attempt);
  });
}

std::vector<Attempt> WisdomStore::open_attempts(std::int64_t session) {
  std::vector<Attempt> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql( SELECT * FROM attempt WHERE session_id = :session_id ORDER BY id )sql");
    select.bind(":session_id", session);
    found = state_->read_all("attempt", select, read_attempt);
  });
  return found;
}

void WisdomStore::quarantine(std::int64_t session, const Trial& trial) {
  state_->connection.write([&](SQLite::Database& database) {
    SQLite::Statement put(database, R"sql(
      INSERT INTO quarantine(kernel_id, problem_id, device_id, configuration, verdict, detail, made_ms)
      SELECT kernel_id, problem_id, device_id, :configuration, :verdict, :detail, :made_ms
      FROM session WHERE id = :session_id
      ON CONFLICT(kernel_id, problem_id, device_id, configuration)
        DO UPDATE SET verdict = excluded.verdict, detail = excluded.detail, made_ms = excluded.made_ms
    )sql");
    put.bind(":session_id", session);
    put.bind(":made_ms", now_ms());
    bind_quarantine(put, trial);
    if (put.exec() == 0) throw state_->no_such_session(session);
  });
}

std::vector<QuarantineEntry> WisdomStore::quarantined(const RecordKey& key) {
  std::vector<QuarantineEntry> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, select_entries);
    bind_quarantine_key(select, key);
    found = state_->read_all("quarantine", select, read_quarantine);
  });
  std::set<std::string> seen;  // a copy of the kernel under another name may have the same ones
  std::erase_if(found, [&](const QuarantineEntry& entry) { return !seen.insert(entry.configuration).second; });
  return found;
}

std::int64_t WisdomStore::lift_quarantine(const RecordKey& key) {
  std::int64_t lifted = 0;
  state_->connection.write([&](SQLite::Database& database) {
    SQLite::Statement remove(database, delete_entries);
    bind_quarantine_key(remove, key);
    lifted = remove.exec();
  });
  return lifted;
}

}  // namespace attune
