// Quarantine: trials in a WisdomStore of configurations that killed their workers.
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <set>

#include "base/unix_ms.hpp"
#include "core/bindings_json.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

// Regime and objective do not matter: timing does not change what kills a worker. Nor does the kernel's name, as in
// WisdomStore::candidates().
constexpr const char* select_entries = R"sql(
  SELECT * FROM quarantine_view
  WHERE code = :code AND contract = :contract AND device_class = :device_class AND problem = :problem
  ORDER BY made_ms DESC, id DESC
)sql";
constexpr const char* lift_entries = R"sql(
  UPDATE trial SET lifted_ms = :lifted_ms WHERE id IN (
    SELECT id FROM quarantine_view
    WHERE code = :code AND contract = :contract AND device_class = :device_class AND problem = :problem)
)sql";

void bind_quarantine_key(SQLite::Statement& statement, const RecordKey& key) {
  statement.bind(":code", key.code);
  statement.bind(":contract", key.contract);
  statement.bind(":device_class", key.device_class);
  statement.bind(":problem", bindings_json(key.problem));
}

}  // namespace

std::vector<QuarantineEntry> WisdomStore::quarantined(const RecordKey& key) {
  std::vector<QuarantineEntry> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, select_entries);
    bind_quarantine_key(select, key);
    found = state_->read_all<QuarantineEntry>("trial", select);
  });
  std::set<std::string> seen;  // several sessions may have the same configuration
  std::erase_if(found, [&](const QuarantineEntry& entry) { return !seen.insert(entry.configuration).second; });
  std::reverse(found.begin(), found.end());
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
