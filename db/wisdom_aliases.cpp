// Aliases of devices in a WisdomStore.
#include <SQLiteCpp/Statement.h>

#include "db/wisdom_state.hpp"

namespace attune {

void WisdomStore::put_alias(const DeviceAlias& alias) {
  state_->connection.write([&](SQLite::Database& database) {
    SQLite::Statement insert(database, R"sql(
      INSERT OR REPLACE INTO device_alias(device, counts_as) VALUES (:device, :counts_as)
    )sql");
    insert.bind(":device", alias.device);
    insert.bind(":counts_as", alias.counts_as);
    insert.exec();
  });
}

bool WisdomStore::remove_alias(std::string_view device) {
  int removed = 0;
  state_->connection.write([&](SQLite::Database& database) {
    SQLite::Statement remove(database, R"sql( DELETE FROM device_alias WHERE device = :device )sql");
    remove.bind(":device", std::string(device));
    removed = remove.exec();
  });
  return removed > 0;
}

std::vector<DeviceAlias> WisdomStore::aliases() {
  std::vector<DeviceAlias> found;
  state_->connection.read([&](SQLite::Database& database) {
    found.clear();
    SQLite::Statement all(database, R"sql( SELECT device, counts_as FROM device_alias ORDER BY device )sql");
    while (all.executeStep()) found.push_back({all.getColumn(0).getString(), all.getColumn(1).getString()});
  });
  return found;
}

}  // namespace attune
