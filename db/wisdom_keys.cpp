#include "db/wisdom_keys.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <concepts>
#include <type_traits>

#include "core/bindings_json.hpp"
#include "core/device_fields.hpp"

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
    INSERT INTO problem(bindings) VALUES (:bindings)
    ON CONFLICT(bindings) DO UPDATE SET bindings = bindings RETURNING id
  )sql");
  insert.bind(":bindings", bindings_json(problem));
  return id_of(insert);
}

}  // namespace

// On conflict, here and above, a column is set to its own value, because RETURNING answers only then.
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
  std::string columns;
  class_fields([&](const char* column,
                   const auto&) { columns += fmt::format("{0}{1} = :{1}", columns.empty() ? "" : ", ", column); },
               info);
  SQLite::Statement update(database, fmt::format("UPDATE device SET {} WHERE id = :id AND kind IS NULL", columns));
  class_fields(
      [&](const char* column, const auto& value) {
        const std::string parameter = fmt::format(":{}", column);
        if constexpr (std::integral<std::remove_cvref_t<decltype(value)>>)
          update.bind(parameter, static_cast<std::int64_t>(value));
        else
          update.bind(parameter, value);
      },
      info);
  update.bind(":id", device);
  update.exec();
}

}  // namespace attune
