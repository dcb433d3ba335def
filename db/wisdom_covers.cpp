// Covers of a WisdomStore: one for each key.
#include <SQLiteCpp/Statement.h>

#include "db/wisdom_state.hpp"

namespace attune {

void WisdomStore::put_cover(const Cover& cover) {
  state_->connection.write([&](SQLite::Database& database) { insert_row(database, "cover", {}, cover, true); });
}

std::vector<Cover> WisdomStore::covers(std::string_view kernel) {
  std::vector<Cover> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM cover WHERE :kernel = '' OR kernel = :kernel ORDER BY kernel, device_class, code, regime, objective
    )sql");
    select.bind(":kernel", std::string(kernel));
    found = state_->read_all<Cover>("cover", select);
  });
  return found;
}

}  // namespace attune
