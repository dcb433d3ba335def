#include "db/wisdom_join.hpp"

#include <SQLiteCpp/Column.h>
#include <SQLiteCpp/Statement.h>

#include <functional>
#include <set>
#include <system_error>

#include "attune/error.hpp"
#include "base/waiting.hpp"
#include "core/bindings_json.hpp"
#include "core/device_fields.hpp"
#include "core/record_order.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_copy.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_keys.hpp"
#include "db/wisdom_state.hpp"

namespace attune {
namespace fs = std::filesystem;
namespace {

using TakeTrial = std::function<void(const Trial& trial, std::int64_t lifted_ms)>;  // 0: not lifted
using ForEachTrial = std::function<void(const TakeTrial& take)>;

// Joins sessions, records and ceilings into an open database, in a transaction of its caller.
class Joiner {
 public:
  // `before_first_change` is called before the first write. If it is null, nothing is written. `stop` may be null.
  Joiner(SQLite::Database& database, std::function<void()> before_first_change, const std::atomic<int>* stop)
      : database_(database),
        before_first_change_(std::move(before_first_change)),
        stop_(stop),
        find_session_(database, R"sql( SELECT id, protocol FROM session WHERE uuid = :uuid )sql"),
        find_record_(database, R"sql( SELECT * FROM record_view WHERE uuid = :uuid )sql"),
        find_key_(database, std::string("SELECT * FROM record_view") + where_key),
        insert_session_(database, "session", {"device_id", "kernel_id", "problem_id"}),
        insert_trial_(database, "trial", {"session_id"}, Conflict::is_ignored) {}

  void join(const SessionRow& session, const DeviceInfo& device, const ForEachTrial& for_each_trial);
  void join(const Record& record, const std::vector<FinalistResult>& finalists, bool is_peer);
  void join(const Ceiling& ceiling, const std::string& device_class, const DeviceInfo& device);
  void join(const Cover& cover);
  // Returns what was joined.
  JoinResult finish();
  JoinResult& result() noexcept { return result_; }

 private:
  // The strongest record of a key so far.
  struct Strongest {
    std::optional<Record> record;
    bool is_new = false;
  };

  bool change();
  JoinCount& count_of(const RecordKey& key) { return result_.counts[{key.kernel, key.device_class}]; }
  std::int64_t add_session(const SessionRow& session, const DeviceInfo& device);
  std::set<std::string> tried_in(std::int64_t session);
  void go_on(std::int64_t id, const SessionRow& session);
  void add_trial(std::int64_t session, const Trial& trial, std::int64_t lifted_ms);
  void compare(const Record& record);

  SQLite::Database& database_;
  std::function<void()> before_first_change_;
  const std::atomic<int>* stop_;
  bool has_changed_ = false;
  SQLite::Statement find_session_, find_record_, find_key_;
  RowInserter<SessionRow> insert_session_;
  RowInserter<Trial> insert_trial_;
  std::map<std::string, Strongest> strongest_;
  JoinResult result_;
};

// Returns whether changes are written, and makes ready for the first one. Throws WaitInterrupted once it has to stop.
bool Joiner::change() {
  if (stop_ != nullptr && stop_->load() > 0) throw WaitInterrupted("interrupted; nothing of this file was stored");
  if (!before_first_change_) return false;
  if (!has_changed_) before_first_change_();
  has_changed_ = true;
  return true;
}

std::int64_t Joiner::add_session(const SessionRow& session, const DeviceInfo& device) {
  const KeyIds ids = key_ids(database_, session.key.record);
  if (!device.name.empty()) describe_device(database_, ids.device, device);
  return insert_session_.insert({{"device_id", ids.device}, {"kernel_id", ids.kernel}, {"problem_id", ids.problem}},
                                session);
}

std::set<std::string> Joiner::tried_in(std::int64_t session) {
  SQLite::Statement select(database_, R"sql( SELECT configuration FROM trial WHERE session_id = :session_id )sql");
  select.bind(":session_id", session);
  std::set<std::string> tried;
  while (select.executeStep()) tried.insert(select.getColumn(0).getString());
  return tried;
}

// Takes over how far a session came that went on elsewhere.
void Joiner::go_on(std::int64_t id, const SessionRow& session) {
  SQLite::Statement update(database_, R"sql(
    UPDATE session SET state = max(state, :state), used_seconds = max(used_seconds, :used_seconds) WHERE id = :id
  )sql");
  update.bind(":state", static_cast<int>(session.state));
  update.bind(":used_seconds", session.used_seconds);
  update.bind(":id", id);
  update.exec();
}

void Joiner::add_trial(std::int64_t session, const Trial& trial, std::int64_t lifted_ms) {
  const std::int64_t id = insert_trial_.insert({{"session_id", session}}, trial);
  end_attempt(database_, session, trial.configuration);
  if (lifted_ms == 0) return;
  SQLite::Statement update(database_, R"sql( UPDATE trial SET lifted_ms = :lifted_ms WHERE id = :id )sql");
  update.bind(":lifted_ms", lifted_ms);
  update.bind(":id", id);
  update.exec();
}

void Joiner::join(const SessionRow& session, const DeviceInfo& device, const ForEachTrial& for_each_trial) {
  find_session_.reset();
  find_session_.bind(":uuid", session.uuid);
  const bool is_known = find_session_.executeStep();
  std::int64_t id = is_known ? find_session_.getColumn(0).getInt64() : 0;
  const bool takes_trials = !is_known || find_session_.getColumn(1).getInt() == session.protocol;
  find_session_.reset();
  JoinCount& count = count_of(session.key.record);
  (is_known ? count.known : count.sessions) += 1;
  if (!takes_trials) return;  // its times have another meaning here
  if (!is_known && change()) id = add_session(session, device);
  const std::set<std::string> tried = is_known ? tried_in(id) : std::set<std::string>();
  const std::int64_t before = count.trials;
  for_each_trial([&](const Trial& trial, std::int64_t lifted_ms) {
    if (is_known && tried.contains(bindings_json(trial.configuration))) return;
    ++count.trials;
    if (change()) add_trial(id, trial, lifted_ms);
  });
  if (is_known && count.trials > before && change()) go_on(id, session);
}

// Follows which record of the key is the strongest.
void Joiner::compare(const Record& record) {
  const auto [place, is_first] = strongest_.try_emplace(key_text(record.key));
  Strongest& strongest = place->second;
  const auto see = [&](const Record& other, bool is_new) {
    if (strongest.record && !is_stronger(other, *strongest.record)) return;
    strongest.record = other;
    strongest.is_new = is_new;
  };
  if (is_first) {
    find_key_.reset();
    bind_key(find_key_, record.key);
    while (find_key_.executeStep())
      if (const std::optional<Record> stored = read_row<Record>(find_key_)) see(*stored, false);
    find_key_.reset();
  }
  see(record, true);
}

void Joiner::join(const Record& record, const std::vector<FinalistResult>& finalists, bool is_peer) {
  find_record_.reset();
  find_record_.bind(":uuid", record.uuid);
  const bool is_known = find_record_.executeStep();
  const std::optional<Record> stored = is_known ? read_row<Record>(find_record_) : std::nullopt;
  find_record_.reset();
  JoinCount& count = count_of(record.key);
  if (is_known) {
    ++count.known;
    if (is_peer && record.superseded && stored && !stored->superseded && change()) supersede(database_, *stored);
    return;
  }
  ++count.records;
  compare(record);
  if (change()) insert_record(database_, record, finalists);
}

void Joiner::join(const Ceiling& ceiling, const std::string& device_class, const DeviceInfo& device) {
  SQLite::Statement newer(database_, R"sql(
    SELECT 1 FROM ceiling JOIN device ON device.id = ceiling.device_id
    WHERE class_key = :class_key AND ceiling.name = :name AND made_ms >= :made_ms
  )sql");
  newer.bind(":class_key", device_class);
  newer.bind(":name", ceiling.name);
  newer.bind(":made_ms", ceiling.made_ms);
  if (newer.executeStep()) return;
  ++result_.ceilings;
  if (!change()) return;
  const std::int64_t id = device_id(database_, device_class);
  if (!device.name.empty()) describe_device(database_, id, device);
  insert_row(database_, "ceiling", {{"device_id", id}}, ceiling, true);
}

// The newer cover of a key stays.
void Joiner::join(const Cover& cover) {
  SQLite::Statement newer(database_, R"sql(
    SELECT 1 FROM cover WHERE kernel = :kernel AND code = :code AND contract = :contract
      AND device_class = :device_class AND regime = :regime AND objective = :objective AND made_ms >= :made_ms
  )sql");
  newer.bind(":kernel", cover.key.kernel);
  newer.bind(":code", cover.key.code);
  newer.bind(":contract", cover.key.contract);
  newer.bind(":device_class", cover.key.device_class);
  newer.bind(":regime", cover.key.regime);
  newer.bind(":objective", cover.key.objective);
  newer.bind(":made_ms", cover.made_ms);
  if (newer.executeStep()) return;
  ++result_.covers;
  if (change()) insert_row(database_, "cover", {}, cover, true);
}

JoinResult Joiner::finish() {
  for (const auto& [text, strongest] : strongest_)
    if (strongest.is_new) ++count_of(strongest.record->key).serving;
  return std::move(result_);
}

// Calls `work` with a Joiner for the database of the terms, in one transaction.
JoinResult in_one_transaction(const JoinTerms& terms, const std::function<void(Joiner&)>& work) {
  const bool exists = terms.into != ":memory:" && wisdom_file_exists(terms.into, !terms.only_looks);
  WisdomConnection connection(terms.only_looks && !exists ? ":memory:" : fs::absolute(terms.into),
                              !terms.only_looks || !exists, terms.waiting);
  JoinResult result;
  bool has_backup = false;  // once, however often the work is begun
  const auto join = [&](SQLite::Database& database) {
    const auto back_up = [&] {
      if (exists && terms.keeps_backup && !has_backup) keep_backup(connection.file());
      has_backup = exists && terms.keeps_backup;
    };
    Joiner joiner(database, terms.only_looks ? std::function<void()>() : back_up, terms.waiting.stop);
    work(joiner);
    result = joiner.finish();
    result.has_backup = has_backup;
  };
  terms.only_looks ? connection.read(join) : connection.write(join);
  return result;
}

// Reads what another database holds, row by row, and joins it.
class OtherDatabase {
 public:
  OtherDatabase(SQLite::Database& database, const JoinFilter* filter, Joiner& joiner)
      : database_(database), filter_(filter), joiner_(joiner) {}

  void join_all() const {
    join_sessions();
    join_records();
    if (filter_ != nullptr) return;
    join_ceilings();
    join_covers();
  }

 private:
  void join_sessions() const {
    SQLite::Statement rows(database_, R"sql( SELECT * FROM session_view ORDER BY id )sql");
    for_each<SessionRow>(rows, [&](SessionRow& session) {
      const std::int64_t id = session.id;
      joiner_.join(session, device_of(session.key.record.device_class),
                   [&](const TakeTrial& take) { for_each_trial(id, take); });
    });
  }

  void join_records() const {
    SQLite::Statement rows(database_, R"sql( SELECT * FROM record_view ORDER BY id )sql");
    for_each<Record>(rows, [&](Record& record) {
      std::vector<FinalistResult> finalists;
      SQLite::Statement of_record(database_, R"sql( SELECT * FROM finalist WHERE record_id = :id ORDER BY id )sql");
      of_record.bind(":id", rows.getColumn("id").getInt64());
      for_each<FinalistResult>(of_record, [&](FinalistResult& finalist) { finalists.push_back(std::move(finalist)); });
      joiner_.join(record, finalists, filter_ == nullptr);
    });
  }

  void join_ceilings() const {
    SQLite::Statement rows(database_, R"sql(
      SELECT ceiling.*, class_key FROM ceiling JOIN device ON device.id = device_id ORDER BY ceiling.id
    )sql");
    for_each<Ceiling>(rows, [&](Ceiling& ceiling) {
      const std::string device_class = rows.getColumn("class_key").getString();
      joiner_.join(ceiling, device_class, device_of(device_class));
    });
  }

  void join_covers() const {
    SQLite::Statement rows(database_, R"sql( SELECT * FROM cover ORDER BY id )sql");
    for_each<Cover>(rows, [&](Cover& cover) { joiner_.join(cover); });
  }

  template <typename T>
  void for_each(SQLite::Statement& rows, const std::function<void(T&)>& take) const {
    while (rows.executeStep()) {
      std::optional<T> value = read_row<T>(rows);
      if (!value)
        ++joiner_.result().damaged;
      else if (!is_admitted(*value))
        ++joiner_.result().left_out;
      else
        take(*value);
    }
  }
  template <typename T>
  bool is_admitted(T& value) const {
    if constexpr (requires { filter_->admits(value); }) return filter_ == nullptr || filter_->admits(value);
    return true;
  }

  void for_each_trial(std::int64_t session, const TakeTrial& take) const {
    SQLite::Statement rows(database_, R"sql( SELECT * FROM trial WHERE session_id = :session_id ORDER BY id )sql");
    rows.bind(":session_id", session);
    for_each<Trial>(rows, [&](Trial& trial) {
      const bool is_lifted = filter_ == nullptr && !rows.isColumnNull("lifted_ms");
      take(trial, is_lifted ? rows.getColumn("lifted_ms").getInt64() : 0);
    });
  }

  // Returns what the database says of a class of devices; a device without a name if it says nothing.
  DeviceInfo device_of(const std::string& device_class) const {
    SQLite::Statement row(database_,
                          R"sql( SELECT * FROM device WHERE class_key = :class_key AND kind IS NOT NULL )sql");
    row.bind(":class_key", device_class);
    DeviceInfo device;
    if (!row.executeStep()) return device;
    class_fields(
        [&](const char* column, auto& value) {
          using Field = std::remove_cvref_t<decltype(value)>;
          if constexpr (std::integral<Field>)
            value = static_cast<Field>(row.getColumn(column).getInt64());
          else
            value = row.getColumn(column).getString();
        },
        device);
    return device.class_key() == device_class ? device : DeviceInfo();
  }

  SQLite::Database& database_;
  const JoinFilter* filter_;
  Joiner& joiner_;
};

// Returns the text with the name of a database where it has that of the copy.
std::string by_its_own_name(std::string text, const fs::path& copy, const fs::path& from) {
  for (std::size_t place = 0; (place = text.find(copy.string(), place)) != std::string::npos;)
    text.replace(place, copy.string().size(), from.string());
  return text;
}

// Joins a database from its copy, which nobody else has.
JoinResult join_copy(const fs::path& copy, const fs::path& from, const JoinTerms& terms, const JoinFilter* filter) {
  DatabaseWaiting waiting = terms.waiting;
  waiting.note = [&](const std::string& damage) {
    if (filter != nullptr) throw Error(damage);
    if (terms.waiting.note) terms.waiting.note(by_its_own_name(damage, copy, from));
  };
  try {
    WisdomConnection source(copy, false, waiting);
    return in_one_transaction(terms, [&](Joiner& joiner) {
      source.read([&](SQLite::Database& database) { OtherDatabase(database, filter, joiner).join_all(); });
    });
  } catch (const Error& error) {
    const std::string message = by_its_own_name(error.what(), copy, from);
    if (message == error.what()) throw;
    throw Error(message);
  }
}

}  // namespace

JoinResult join_parts(const WisdomParts& parts, const JoinTerms& terms) {
  return in_one_transaction(terms, [&](Joiner& joiner) {
    for (const JoinedSession& one : parts.sessions)
      joiner.join(one.session, one.device, [&](const TakeTrial& take) {
        for (const Trial& trial : one.trials) take(trial, 0);
      });
    for (const JoinedRecord& one : parts.records) joiner.join(one.record, one.finalists, false);
  });
}

JoinResult join_database(const fs::path& from, const JoinTerms& terms, const JoinFilter* filter) {
  if (!wisdom_file_exists(from, false)) throw Error("there is no wisdom database " + from.string());
  std::error_code unknown;
  if (fs::equivalent(from, terms.into, unknown))
    throw UsageError(from.string() + " cannot be joined into itself; name another database");
  const fs::path folder = fs::absolute(terms.into).parent_path();
  const fs::path beside =
      fs::is_directory(folder, unknown) ? folder / from.filename() : fs::temp_directory_path() / from.filename();
  JoinResult result;
  with_private_file(beside, [&](const fs::path& copy) {
    copy_database(from, copy);
    result = join_copy(copy, from, terms, filter);
  });
  return result;
}

}  // namespace attune
