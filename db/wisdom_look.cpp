#include "db/wisdom_look.hpp"

#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/bindings_json.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

std::vector<std::pair<std::int64_t, std::int64_t>> counts_and_firsts(SQLite::Database& database, std::int64_t session) {
  SQLite::Statement select(database, R"sql(
    SELECT count(*), min(id) FROM trial WHERE session_id = :session_id GROUP BY verdict ORDER BY count(*) DESC, verdict
  )sql");
  select.bind(":session_id", session);
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  while (select.executeStep()) found.emplace_back(select.getColumn(0).getInt64(), select.getColumn(1).getInt64());
  return found;
}

}  // namespace

std::vector<VerdictTally> verdict_tallies(WisdomStore& store, std::int64_t session) {
  std::vector<VerdictTally> tallies;
  store.state().connection.read([&](SQLite::Database& database) {
    tallies.clear();
    for (const auto& [count, first] : counts_and_firsts(database, session)) {
      SQLite::Statement select(database, R"sql( SELECT * FROM trial WHERE id = :id )sql");
      select.bind(":id", first);
      if (auto example = store.state().read_first<Trial>("trial", select))
        tallies.push_back({count, *std::move(example)});
    }
  });
  return tallies;
}

std::vector<Trial> best_trials(WisdomStore& store, std::int64_t session, std::size_t most) {
  std::vector<Trial> found;
  store.state().connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM trial WHERE id IN (
        SELECT id FROM trial WHERE session_id = :session_id AND verdict = 0 ORDER BY median_ns, id LIMIT :most)
      ORDER BY median_ns, id
    )sql");
    select.bind(":session_id", session);
    select.bind(":most", static_cast<std::int64_t>(most));
    found = store.state().read_all<Trial>("trial", select);
  });
  return found;
}

std::optional<Trial> newest_trial(WisdomStore& store, const RecordKey& key, const Configuration& configuration) {
  std::optional<Trial> found;
  store.state().connection.read([&](SQLite::Database& database) {
    static const std::string text =
        std::string("SELECT * FROM trial WHERE session_id IN (SELECT id FROM session_view") + where_key +
        of_present_meaning + ") AND configuration = :configuration ORDER BY id DESC";
    SQLite::Statement select(database, text);
    bind_key(select, key);
    select.bind(":configuration", bindings_json(configuration));
    found = store.state().read_first<Trial>("trial", select);
  });
  return found;
}

std::vector<Record> all_records(WisdomStore& store, const RecordKey& of_kernel) {
  std::vector<Record> found;
  store.state().connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view WHERE kernel = :kernel OR (code = :code AND contract = :contract)
      ORDER BY made_ms DESC, uuid
    )sql");
    select.bind(":kernel", of_kernel.kernel);
    select.bind(":code", of_kernel.code);
    select.bind(":contract", of_kernel.contract);
    found = store.state().read_all<Record>("record", select);
  });
  return found;
}

std::vector<std::string> device_classes(WisdomStore& store) {
  std::vector<std::string> found;
  store.state().connection.read([&](SQLite::Database& database) {
    found.clear();
    SQLite::Statement select(database, R"sql( SELECT class_key FROM device ORDER BY class_key )sql");
    while (select.executeStep()) found.push_back(select.getColumn(0).getString());
  });
  return found;
}

}  // namespace attune
