// Records of a WisdomStore.
#include <SQLiteCpp/Statement.h>

#include "db/wisdom_keys.hpp"
#include "db/wisdom_rows.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace {

// Effort counts first; of equal effort, a session that ran to its end knows more than one that was cut short.
int strength(const Record& record) { return 2 * static_cast<int>(record.effort) + (record.partial ? 0 : 1); }

void bind_by_key(SQLite::Statement& statement, const RecordKey& key, const KeyIds& ids) {
  bind_ids(statement, ids);
  statement.bind(":regime", key.regime);
  statement.bind(":objective", key.objective);
}

// The record in the way of a new one. A damaged one is in nobody's way.
std::optional<Record> present_record(SQLite::Database& database, const RecordKey& key, const KeyIds& ids) {
  SQLite::Statement select(database, R"sql(
    SELECT * FROM record_view
    WHERE kernel_id = :kernel_id AND problem_id = :problem_id AND device_id = :device_id
      AND regime = :regime AND objective = :objective
  )sql");
  bind_by_key(select, key, ids);
  return select.executeStep() ? read_record(select) : std::nullopt;
}

void remove_record(SQLite::Database& database, const RecordKey& key, const KeyIds& ids) {
  SQLite::Statement remove(database, R"sql(
    DELETE FROM record
    WHERE kernel_id = :kernel_id AND problem_id = :problem_id AND device_id = :device_id
      AND regime = :regime AND objective = :objective
  )sql");
  bind_by_key(remove, key, ids);
  remove.exec();
}

// Its id.
std::int64_t insert_record(SQLite::Database& database, const Record& record, const KeyIds& ids) {
  SQLite::Statement insert(database, R"sql(
    INSERT INTO record(uuid, device_id, kernel_id, problem_id, regime, objective, device_name, compute_capability,
      multiprocessors, configuration, median_ns, default_ns, speedup, speedup_low, speedup_high, effort, partial,
      unstable, self_checked, space, toolchain, driver, device_uuid, attune_version, protocol, seed, trials, made_ms,
      row_hash, min_ns, q1_ns, q3_ns, batch, rounds, rounds_dropped, sm_clock_mhz, anchor_ratio, busy, value,
      default_value)
    VALUES (:uuid, :device_id, :kernel_id, :problem_id, :regime, :objective, :device_name, :compute_capability,
      :multiprocessors, :configuration, :median_ns, :default_ns, :speedup, :speedup_low, :speedup_high, :effort, :partial,
      :unstable, :self_checked, :space, :toolchain, :driver, :device_uuid, :attune_version, :protocol, :seed, :trials,
      :made_ms, :row_hash, :min_ns, :q1_ns, :q3_ns, :batch, :rounds, :rounds_dropped, :sm_clock_mhz, :anchor_ratio,
      :busy, :value, :default_value)
  )sql");
  bind_ids(insert, ids);
  bind_record(insert, record);
  insert.exec();
  return database.getLastInsertRowid();
}

void insert_finalist(SQLite::Database& database, std::int64_t record, const FinalistResult& result) {
  SQLite::Statement insert(database, R"sql(
    INSERT INTO finalist(record_id, configuration, samples_ns, min_ns, q1_ns, median_ns, q3_ns, objectives, pareto,
      energy_j, energy_error, max_error, max_relative, max_ulp, deterministic, registers, shared_bytes)
    VALUES (:record_id, :configuration, :samples_ns, :min_ns, :q1_ns, :median_ns, :q3_ns, :objectives, :pareto,
      :energy_j, :energy_error, :max_error, :max_relative, :max_ulp, :deterministic, :registers, :shared_bytes)
  )sql");
  insert.bind(":record_id", record);
  bind_finalist(insert, result);
  insert.exec();
}

}  // namespace

bool WisdomStore::put_record(const Record& given, std::string_view replaces,
                             std::span<const FinalistResult> finalists) {
  Record record = given;
  if (record.uuid.empty()) record.uuid = make_uuid();
  bool stored = false;
  state_->connection.write([&](SQLite::Database& database) {
    const KeyIds ids = key_ids(database, record.key);
    const auto present = present_record(database, record.key, ids);
    stored = !present || present->uuid == replaces || strength(record) >= strength(*present);
    if (!stored) return;
    remove_record(database, record.key, ids);
    const std::int64_t id = insert_record(database, record, ids);
    for (const FinalistResult& result : finalists) insert_finalist(database, id, result);
  });
  return stored;
}

std::vector<FinalistResult> WisdomStore::finalists(std::string_view record) {
  std::vector<FinalistResult> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT finalist.* FROM finalist JOIN record ON record.id = finalist.record_id WHERE record.uuid = :uuid
      ORDER BY finalist.id
    )sql");
    select.bind(":uuid", std::string(record));
    found = state_->read_all("finalist", select, read_finalist);
  });
  return found;
}

std::optional<Record> WisdomStore::find_record(const RecordKey& key) {
  std::optional<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view
      WHERE kernel = :kernel AND code = :code AND contract = :contract AND device_class = :device_class
        AND problem_text = :problem_text AND problem = :problem AND regime = :regime AND objective = :objective
    )sql");
    bind_key(select, key);
    found = state_->read_first("record", select, read_record);
  });
  return found;
}

std::vector<Record> WisdomStore::records(std::string_view kernel) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view WHERE :kernel = '' OR kernel = :kernel
      ORDER BY kernel, device_class, problem_text, problem, code, contract, regime, objective
    )sql");
    select.bind(":kernel", std::string(kernel));
    found = state_->read_all("record", select, read_record);
  });
  return found;
}

std::vector<Record> WisdomStore::candidates(const RecordKey& key) {
  std::vector<Record> found;
  state_->connection.read([&](SQLite::Database& database) {
    // The kernel's own name first: a copy of the file under another name shares its wisdom, but comes second.
    SQLite::Statement select(database, R"sql(
      SELECT * FROM record_view
      WHERE code = :code AND contract = :contract AND regime = :regime AND objective = :objective
      ORDER BY kernel <> :kernel, kernel, device_class, problem_text, problem
    )sql");
    select.bind(":kernel", key.kernel);
    select.bind(":code", key.code);
    select.bind(":contract", key.contract);
    select.bind(":regime", key.regime);
    select.bind(":objective", key.objective);
    found = state_->read_all("record", select, read_record);
  });
  return found;
}

}  // namespace attune
