// Sessions and trials of a WisdomStore.
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "attune/error.hpp"
#include "db/wisdom_keys.hpp"
#include "db/wisdom_state.hpp"

namespace attune {

Error WisdomStore::State::no_such_session(std::int64_t session) const {
  return Error(fmt::format("the wisdom database {} has no session {}", connection.file().string(), session));
}

void WisdomStore::State::require_session(SQLite::Database& database, std::int64_t session) const {
  SQLite::Statement find(database, R"sql( SELECT 1 FROM session WHERE id = :id )sql");
  find.bind(":id", session);
  if (!find.executeStep()) throw no_such_session(session);
}

std::optional<SessionRow> WisdomStore::find_session(const SessionKey& key) {
  std::optional<SessionRow> found;
  state_->connection.read([&](SQLite::Database& database) {
    static const std::string text = std::string("SELECT * FROM session_view") + where_key + of_present_meaning +
                                    "AND space = :space AND effort = :effort AND strategy = :strategy ORDER BY id DESC";
    SQLite::Statement select(database, text);
    bind_key(select, key.record);
    select.bind(":space", key.space);
    select.bind(":effort", static_cast<int>(key.effort));
    select.bind(":strategy", key.strategy);
    found = state_->read_first<SessionRow>("session", select);
  });
  return found;
}

std::int64_t WisdomStore::begin_session(const SessionRow& given, const DeviceInfo& device) {
  SessionRow session = given;
  if (session.uuid.empty()) session.uuid = make_uuid();
  std::int64_t id = 0;
  state_->connection.write([&](SQLite::Database& database) {
    const KeyIds ids = key_ids(database, session.key.record);
    describe_device(database, ids.device, device);
    id = insert_row(database, "session",
                    {{"device_id", ids.device}, {"kernel_id", ids.kernel}, {"problem_id", ids.problem}}, session);
  });
  return id;
}

std::vector<SessionRow> WisdomStore::sessions(std::string_view kernel) {
  std::vector<SessionRow> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM session_view WHERE :kernel = '' OR kernel = :kernel ORDER BY id DESC
    )sql");
    select.bind(":kernel", std::string(kernel));
    found = state_->read_all<SessionRow>("session", select);
  });
  return found;
}

void WisdomStore::update_session(std::int64_t session, SessionState state, double used_seconds) {
  state_->connection.write([&](SQLite::Database& database) {
    SQLite::Statement update(database, R"sql(
      UPDATE session SET state = :state, used_seconds = :used_seconds WHERE id = :id
    )sql");
    update.bind(":id", session);
    update.bind(":state", static_cast<int>(state));
    update.bind(":used_seconds", used_seconds);
    if (update.exec() == 0) throw state_->no_such_session(session);
  });
}

std::vector<KernelTotals> WisdomStore::kernel_totals() {
  std::vector<KernelTotals> found;
  state_->connection.read([&](SQLite::Database& database) {
    found.clear();
    SQLite::Statement select(database, R"sql(
      SELECT kernel.name, count(session.id), total(
        (SELECT count(*) FROM trial WHERE trial.session_id = session.id))
      FROM kernel LEFT JOIN session ON session.kernel_id = kernel.id
      GROUP BY kernel.name ORDER BY kernel.name
    )sql");
    while (select.executeStep())
      found.push_back(
          {select.getColumn(0).getString(), select.getColumn(1).getInt64(), select.getColumn(2).getInt64()});
  });
  return found;
}

void insert_trial(SQLite::Database& database, std::int64_t session, const Trial& trial) {
  // REPLACE gives a new, larger id, so the trial moves to the end of the order of trials.
  insert_row(database, "trial", {{"session_id", session}}, trial, true);
  end_attempt(database, session, trial.configuration);
}

void WisdomStore::add_trials(std::int64_t session, std::span<const Trial> trials) {
  if (trials.empty()) return;
  state_->connection.write([&](SQLite::Database& database) {
    state_->require_session(database, session);
    for (const Trial& trial : trials) insert_trial(database, session, trial);
  });
}

void WisdomStore::add_trial(std::int64_t session, const Trial& trial) { add_trials(session, std::span(&trial, 1)); }

std::vector<Trial> WisdomStore::trials(std::int64_t session) {
  std::vector<Trial> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql( SELECT * FROM trial WHERE session_id = :session_id ORDER BY id )sql");
    select.bind(":session_id", session);
    found = state_->read_all<Trial>("trial", select);
  });
  return found;
}

std::vector<Trial> WisdomStore::known_trials(const RecordKey& key, std::string_view space) {
  std::vector<Trial> found;
  state_->connection.read([&](SQLite::Database& database) {
    static const std::string text = std::string(
                                        "SELECT * FROM trial WHERE id IN (SELECT max(trial.id) FROM trial "
                                        "JOIN session_view ON session_view.id = trial.session_id") +
                                    where_key + of_present_meaning +
                                    "AND space = :space GROUP BY configuration) ORDER BY id DESC";
    SQLite::Statement select(database, text);
    bind_key(select, key);
    select.bind(":space", std::string(space));
    found = state_->read_all<Trial>("trial", select);
  });
  return found;
}

}  // namespace attune
