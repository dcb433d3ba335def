#include "db/wisdom_keys.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include "db/value_json.hpp"

namespace attune {
namespace {

std::int64_t id_of(SQLite::Statement& statement) {
  statement.executeStep();
  return statement.getColumn(0).getInt64();
}

std::int64_t kernel_id(SQLite::Database& database, const RecordKey& key) {
  SQLite::Statement insert(database, R"sql(
    INSERT INTO kernel(name, code, contract) VALUES (:name, :code, :contract)
    ON CONFLICT(name, code, contract) DO UPDATE SET name = name RETURNING id
  )sql");
  insert.bind(":name", key.kernel);
  insert.bind(":code", key.code);
  insert.bind(":contract", key.contract);
  return id_of(insert);
}

std::int64_t problem_id(SQLite::Database& database, const Problem& problem) {
  SQLite::Statement insert(database, R"sql(
    INSERT INTO problem(text, bindings) VALUES (:text, :bindings)
    ON CONFLICT(text, bindings) DO UPDATE SET text = text RETURNING id
  )sql");
  insert.bind(":text", problem.text());
  insert.bind(":bindings", typed_json(problem));
  return id_of(insert);
}

}  // namespace

// On conflict, here and above, a column is set to its own value: only then does RETURNING answer.
std::int64_t device_id(SQLite::Database& database, const std::string& class_key) {
  SQLite::Statement insert(database, R"sql(
    INSERT INTO device(class_key) VALUES (:class_key)
    ON CONFLICT(class_key) DO UPDATE SET class_key = class_key RETURNING id
  )sql");
  insert.bind(":class_key", class_key);
  return id_of(insert);
}

KeyIds key_ids(SQLite::Database& database, const RecordKey& key) {
  return {device_id(database, key.device_class), kernel_id(database, key), problem_id(database, key.problem)};
}

void describe_device(SQLite::Database& database, std::int64_t device, const DeviceInfo& info) {
  SQLite::Statement update(database, R"sql(
    UPDATE device SET kind = :kind, name = :name, compute_capability = :compute_capability,
      multiprocessors = :multiprocessors, memory_bytes = :memory_bytes, memory_bus_bits = :memory_bus_bits,
      l2_bytes = :l2_bytes, mig_profile = :mig_profile
    WHERE id = :id AND kind IS NULL
  )sql");
  update.bind(":id", device);
  update.bind(":kind", info.kind);
  update.bind(":name", info.name);
  update.bind(":compute_capability", info.compute_capability);
  update.bind(":multiprocessors", info.multiprocessors);
  update.bind(":memory_bytes", static_cast<std::int64_t>(info.memory_bytes));
  update.bind(":memory_bus_bits", info.memory_bus_bits);
  update.bind(":l2_bytes", static_cast<std::int64_t>(info.l2_bytes));
  update.bind(":mig_profile", info.mig_profile);
  update.exec();
}

}  // namespace attune
