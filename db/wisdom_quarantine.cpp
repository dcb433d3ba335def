// Quarantine: the trials in a WisdomStore whose configurations killed their workers. A compile_crash, which may be the
// fault of the compiler's surroundings (core/verdict.hpp), is held against a configuration only after two sessions, and
// a compile_timeout never. Device workers that were perhaps killed from outside count as one death of a trial.
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/unix_ms.hpp"
#include "core/bindings_json.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

// Regime and objective do not matter, because timing does not change what kills a worker. The kernel's name does not
// matter either, as in WisdomStore::candidates().
const std::string of_key = R"sql( session_id IN (
  SELECT id FROM session_view
  WHERE code = :code AND contract = :contract AND device_class = :device_class AND problem = :problem) )sql";
const std::string trials_where = "SELECT id, configuration, verdict, detail, made_ms FROM trial WHERE ";

// Verdict 4 is compile_crash. A session has two deaths by it, so four deaths mean two sessions.
const std::string select_entries =
    "SELECT * FROM (SELECT *, sum(deaths) OVER (PARTITION BY configuration) AS of_all FROM quarantine_view WHERE" +
    of_key + ") WHERE verdict <> 4 OR of_all >= 4 ORDER BY made_ms DESC, id DESC";
// Verdict 8 is fault. A second worker followed, and yet only one death is held against the configuration.
const std::string killed_from_outside = "(verdict = 8 AND deaths = 1 AND worker >= 2)";
// Lifts what died, what was late (verdict 3, compile_timeout), and what was left alone for that (verdict 14,
// quarantined).
const std::string lift_entries =
    "UPDATE trial SET lifted_ms = :lifted_ms WHERE lifted_ms IS NULL "
    "AND ((deaths >= 2 AND verdict <> 0) OR verdict IN (3, 4, 14) OR " +
    killed_from_outside + ") AND" + of_key;
const std::string select_lifted = trials_where + "lifted_ms IS NOT NULL AND" + of_key + "ORDER BY id DESC";
const std::string select_second_chances =
    trials_where + "session_id = :session_id AND (lifted_ms IS NOT NULL OR (verdict IN (3, 4) AND attempts < 2) OR " +
    killed_from_outside + ") ORDER BY id DESC";
const std::string select_suspected = trials_where + "session_id = :session_id AND (verdict IN (3, 4, 14) OR " +
                                     killed_from_outside + ") AND lifted_ms IS NULL ORDER BY id DESC";

void bind_quarantine_key(SQLite::Statement& statement, const RecordKey& key) {
  statement.bind(":code", key.code);
  statement.bind(":contract", key.contract);
  statement.bind(":device_class", key.device_class);
  statement.bind(":problem", bindings_json(key.problem));
}

void bind_session(SQLite::Statement& statement, std::int64_t session) { statement.bind(":session_id", session); }

// Returns the entries of a statement that selects the newest first. Returns the oldest first, and each configuration
// once, with its newest entry.
template <typename State, typename Bind, typename Key>
std::vector<QuarantineEntry> entries_of(State& state, const std::string& text, Bind bind, const Key& key) {
  std::vector<QuarantineEntry> found;
  state.connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, text);
    bind(select, key);
    found = state.template read_all<QuarantineEntry>("trial", select);
  });
  std::set<std::string> seen;  // several sessions may have the same configuration
  std::erase_if(found, [&](const QuarantineEntry& entry) { return !seen.insert(entry.configuration.text()).second; });
  std::reverse(found.begin(), found.end());
  return found;
}

}  // namespace

std::vector<QuarantineEntry> WisdomStore::quarantined(const RecordKey& key) {
  return entries_of(*state_, select_entries, bind_quarantine_key, key);
}

std::vector<QuarantineEntry> WisdomStore::lifted(const RecordKey& key) {
  return entries_of(*state_, select_lifted, bind_quarantine_key, key);
}

std::vector<QuarantineEntry> WisdomStore::second_chances(std::int64_t session) {
  return entries_of(*state_, select_second_chances, bind_session, session);
}

std::vector<QuarantineEntry> WisdomStore::suspected(std::int64_t session) {
  std::vector<QuarantineEntry> found = entries_of(*state_, select_suspected, bind_session, session);
  const std::vector<QuarantineEntry> chances = second_chances(session);
  for (QuarantineEntry& entry : found)
    entry.has_second_chance = std::any_of(chances.begin(), chances.end(), [&](const QuarantineEntry& chance) {
      return chance.configuration == entry.configuration;
    });
  return found;
}

std::int64_t WisdomStore::lift_quarantine(const RecordKey& key) {
  std::int64_t lifted = 0;
  state_->connection.write([&](SQLite::Database& database) {
    SQLite::Statement lift(database, lift_entries);
    lift.bind(":lifted_ms", unix_ms());
    bind_quarantine_key(lift, key);
    lifted = lift.exec();
  });
  return lifted;
}

}  // namespace attune
