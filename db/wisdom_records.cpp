// Records of a WisdomStore: all are kept, one of each key is current.
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <tuple>

#include "db/reader/application_record.hpp"
#include "db/wisdom_keys.hpp"
#include "db/wisdom_schema.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

// Effort counts first. Of equal effort, a complete session beats a partial one. Times of the present generation beat
// all others.
auto strength(const Record& record) {
  return std::make_tuple(generation_of(record.protocol), record.effort, !record.partial);
}

constexpr const char* of_key_ids = R"sql(
  WHERE kernel_id = :kernel_id AND problem_id = :problem_id AND device_id = :device_id
    AND regime = :regime AND objective = :objective
)sql";
// The first sound record of these serves.
const std::string best_first = fmt::format(
    " ORDER BY current DESC, protocol >= {} DESC, effort DESC, partial, made_ms DESC, id DESC", first_present_protocol);

SQLite::Statement statement_of_key(SQLite::Database& database, const std::string& text, const KeyIds& ids,
                                   const std::string& regime, const std::string& objective) {
  SQLite::Statement statement(database, text);
  statement.bind(":device_id", ids.device);
  statement.bind(":kernel_id", ids.kernel);
  statement.bind(":problem_id", ids.problem);
  statement.bind(":regime", regime);
  statement.bind(":objective", objective);
  return statement;
}

void make_current(SQLite::Database& database, const std::string& uuid, const RecordKey& key, const KeyIds& ids) {
  static const std::string text = std::string("UPDATE record SET current = 0") + of_key_ids + "AND current = 1";
  statement_of_key(database, text, ids, key.regime, key.objective).exec();
  SQLite::Statement mark(database, R"sql( UPDATE record SET current = 1 WHERE uuid = :uuid )sql");
  mark.bind(":uuid", uuid);
  mark.exec();
}

// Inserts a record, in place of the same record if that is stored already.
void insert_record(SQLite::Database& database, const Record& record, const KeyIds& ids,
                   std::span<const FinalistResult> finalists) {
  static const std::string text = std::string("DELETE FROM record") + of_key_ids + "AND uuid = :uuid";
  SQLite::Statement remove = statement_of_key(database, text, ids, record.key.regime, record.key.objective);
  remove.bind(":uuid", record.uuid);
  remove.exec();
  const std::int64_t id = insert_row(
      database, "record", {{"device_id", ids.device}, {"kernel_id", ids.kernel}, {"problem_id", ids.problem}}, record);
  for (const FinalistResult& result : finalists) insert_row(database, "finalist", {{"record_id", id}}, result);
}

}  // namespace

void complete_records(SQLite::Database& database) {
  SQLite::Statement select(database, R"sql( SELECT * FROM record_view WHERE application_hash = '' )sql");
  SQLite::Statement update(database, R"sql(
    UPDATE record SET configuration_text = :configuration, application_hash = :hash WHERE id = :id
  )sql");
  while (select.executeStep()) {
    const std::optional<Record> record = read_row<Record>(select);
    if (!record) continue;  // damaged: without a hash no application takes it
    const std::string configuration = record->configuration.text();
    update.bind(":configuration", configuration);
    update.bind(":hash", application_hash(*record, record->key.problem.text(), configuration));
    update.bind(":id", select.getColumn("id").getInt64());
    update.exec();
    update.reset();
  }
}

std::optional<Record> WisdomStore::State::serving_record(SQLite::Database& database, const KeyIds& ids,
                                                         const std::string& regime, const std::string& objective) {
  static const std::string text = std::string("SELECT * FROM record_view") + of_key_ids + best_first;
  SQLite::Statement select = statement_of_key(database, text, ids, regime, objective);
  return read_first<Record>("record", select);
}

std::vector<Record> WisdomStore::State::read_current(SQLite::Database& database, SQLite::Statement& rows) {
  std::vector<Record> records;
  while (rows.executeStep()) {
    std::optional<Record> record = read_row<Record>(rows);
    const auto id = [&](const char* column) { return rows.getColumn(column).getInt64(); };
    if (!record)
      record = serving_record(database, {id("device_id"), id("kernel_id"), id("problem_id")},
                              rows.getColumn("regime").getString(), rows.getColumn("objective").getString());
    if (record) records.push_back(*std::move(record));
  }
  return records;
}

bool WisdomStore::put_record(const Record& given, std::string_view replaces,
                             std::span<const FinalistResult> finalists) {
  Record record = given;
  if (record.uuid.empty()) record.uuid = make_uuid();
  bool wins = false;
  state_->connection.write([&](SQLite::Database& database) {
    const RecordKey& key = record.key;
    const KeyIds ids = key_ids(database, key);
    const auto present = state_->serving_record(database, ids, key.regime, key.objective);
    wins =
        !present || present->uuid == replaces || present->uuid == record.uuid || strength(record) >= strength(*present);
    insert_record(database, record, ids, finalists);
    make_current(database, wins ? record.uuid : present->uuid, key, ids);
  });
  return wins;
}

std::vector<FinalistResult> WisdomStore::finalists(std::string_view record) {
  std::vector<FinalistResult> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT finalist.* FROM finalist JOIN record ON record.id = finalist.record_id WHERE record.uuid = :uuid
      ORDER BY finalist.id
    )sql");
    select.bind(":uuid", std::string(record));
    found = state_->read_all<FinalistResult>("finalist", select);
  });
  return found;
}

std::optional<Record> WisdomStore::find_record(const RecordKey& key) {
  std::optional<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    static const std::string text = std::string("SELECT * FROM record_view") + where_key + best_first;
    SQLite::Statement select(database, text);
    bind_key(select, key);
    found = state_->read_first<Record>("record", select);
  });
  return found;
}

std::vector<Record> WisdomStore::history(const RecordKey& key) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    static const std::string text =
        std::string("SELECT * FROM record_view") + where_key + "ORDER BY made_ms DESC, id DESC";
    SQLite::Statement select(database, text);
    bind_key(select, key);
    found = state_->read_all<Record>("record", select);
  });
  return found;
}

std::vector<Record> WisdomStore::records(std::string_view kernel) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view WHERE current = 1 AND (:kernel = '' OR kernel = :kernel)
      ORDER BY kernel, device_class, problem_text, problem, code, contract, regime, objective
    )sql");
    select.bind(":kernel", std::string(kernel));
    found = state_->read_current(database, select);
  });
  return found;
}

std::vector<Record> WisdomStore::candidates(const RecordKey& key) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    // The kernel's own name first: a copy of the file under another name shares its wisdom, in second place.
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view
      WHERE current = 1 AND code = :code AND contract = :contract AND objective = :objective
      ORDER BY kernel <> :kernel, kernel, device_class, problem_text, problem, regime
    )sql");
    select.bind(":kernel", key.kernel);
    select.bind(":code", key.code);
    select.bind(":contract", key.contract);
    select.bind(":objective", key.objective);
    found = state_->read_current(database, select);
  });
  return found;
}

}  // namespace attune
