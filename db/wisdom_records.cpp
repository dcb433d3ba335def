// Records of a WisdomStore: all are kept, and the strongest sound record of each key serves.
#include <SQLiteCpp/Statement.h>

#include <algorithm>
#include <functional>

#include "core/record_hash.hpp"
#include "core/record_order.hpp"
#include "db/wisdom_keys.hpp"
#include "db/wisdom_state.hpp"

namespace attune {

namespace {

// Returns whether sessions compare with a record and may replace it: the user's pin stays, whatever is found.
bool is_found(const Record& record) { return record.origin != Origin::pinned; }

}  // namespace

void supersede(SQLite::Database& database, Record record) {
  record.superseded = true;
  SQLite::Statement update(database, R"sql(
    UPDATE record SET superseded = 1, strength = :strength, hash = :hash WHERE uuid = :uuid
  )sql");
  update.bind(":strength", strength_of(record));
  update.bind(":hash", record_hash(record));
  update.bind(":uuid", record.uuid);
  update.exec();
}

void insert_record(SQLite::Database& database, const Record& record, std::span<const FinalistResult> finalists) {
  SQLite::Statement remove(database, R"sql( DELETE FROM record WHERE uuid = :uuid )sql");
  remove.bind(":uuid", record.uuid);
  remove.exec();
  const KeyIds ids = key_ids(database, record.key);
  const std::int64_t id = insert_row(
      database, "record", {{"device_id", ids.device}, {"kernel_id", ids.kernel}, {"problem_id", ids.problem}}, record);
  for (const FinalistResult& result : finalists) insert_row(database, "finalist", {{"record_id", id}}, result);
}

std::vector<Record> WisdomStore::State::records_of(SQLite::Database& database, const RecordKey& key) {
  static const std::string text = std::string("SELECT * FROM record_view") + where_key;
  SQLite::Statement select(database, text);
  bind_key(select, key);
  std::vector<Record> records = read_all<Record>("record", select);
  std::ranges::sort(records, is_stronger);
  return records;
}

bool WisdomStore::put_record(const Record& given, std::string_view beaten, std::span<const FinalistResult> finalists) {
  Record record = given;
  if (record.uuid.empty()) record.uuid = make_uuid();
  bool serves = true;
  state_->connection.write([&](SQLite::Database& database) {
    const std::vector<Record> present = state_->records_of(database, record.key);
    const auto first = std::ranges::find_if(present, is_found);
    const bool succeeds = first != present.end() && first->uuid == beaten;
    serves = true;
    for (const Record& other : present) {
      if (other.uuid == record.uuid || !is_stronger(other, record)) continue;
      const bool is_beaten = succeeds && is_found(other);
      if (is_beaten) supersede(database, other);
      serves = serves && is_beaten;
    }
    insert_record(database, record, finalists);
  });
  return serves;
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
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) { found = state_->records_of(database, key); });
  const auto first = std::ranges::find_if(found, is_found);
  if (first == found.end() || !is_of_present_meaning(first->protocol)) return std::nullopt;
  return std::move(*first);
}

std::vector<Record> WisdomStore::history(const RecordKey& key) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) { found = state_->records_of(database, key); });
  std::ranges::stable_sort(found, std::ranges::greater(), &Record::made_ms);
  return found;
}

std::vector<Record> WisdomStore::records(std::string_view kernel) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view WHERE :kernel = '' OR kernel = :kernel
      ORDER BY kernel, device_class, problem, code, contract, regime, objective
    )sql");
    select.bind(":kernel", std::string(kernel));
    found = strongest_of_each_key(state_->read_all<Record>("record", select));
  });
  return found;
}

std::vector<Record> WisdomStore::candidates(const RecordKey& key) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    // The kernel's own name comes first. A copy of the kernel file under another name shares its wisdom, in second
    // place.
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view WHERE code = :code AND contract = :contract AND objective = :objective
      ORDER BY kernel <> :kernel, kernel, device_class, problem, regime
    )sql");
    select.bind(":kernel", key.kernel);
    select.bind(":code", key.code);
    select.bind(":contract", key.contract);
    select.bind(":objective", key.objective);
    found = strongest_of_each_key(state_->read_all<Record>("record", select));
  });
  return found;
}

}  // namespace attune
