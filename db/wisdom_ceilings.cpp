// Ceilings of devices in a WisdomStore.
#include <SQLiteCpp/Statement.h>

#include "db/wisdom_keys.hpp"
#include "db/wisdom_state.hpp"

namespace attune {

void WisdomStore::put_ceilings(const DeviceInfo& device, std::span<const Ceiling> ceilings) {
  state_->connection.write([&](SQLite::Database& database) {
    const std::int64_t id = device_id(database, device.class_key());
    describe_device(database, id, device);
    for (const Ceiling& ceiling : ceilings) insert_row(database, "ceiling", {{"device_id", id}}, ceiling, true);
  });
}

std::vector<Ceiling> WisdomStore::ceilings(std::string_view device_class) {
  std::vector<Ceiling> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT ceiling.* FROM ceiling JOIN device ON device.id = ceiling.device_id
      WHERE device.class_key = :class_key ORDER BY ceiling.name
    )sql");
    select.bind(":class_key", std::string(device_class));
    found = state_->read_all<Ceiling>("ceiling", select);
  });
  return found;
}

}  // namespace attune
