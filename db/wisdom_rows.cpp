#include "db/wisdom_rows.hpp"

#include <SQLiteCpp/Column.h>
#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <limits>
#include <type_traits>

#include "attune/error.hpp"
#include "core/digest.hpp"
#include "db/value_json.hpp"

namespace attune {
namespace {

// Logs beyond this are cut: a template error can be 100 MB long, and a session holds thousands of trials.
constexpr std::size_t longest_detail_bytes = 64 << 10;

// The fields of a record, each with its column. The order is that of the row hash: append only, with a new format.
template <typename AnyRecord, typename Visitor>
void visit_record(AnyRecord& record, Visitor&& visit) {
  visit("uuid", record.uuid);
  visit("regime", record.key.regime);
  visit("objective", record.key.objective);
  visit("device_name", record.device_name);
  visit("compute_capability", record.compute_capability);
  visit("multiprocessors", record.multiprocessors);
  visit("configuration", record.configuration);
  visit("median_ns", record.median_ns);
  visit("default_ns", record.default_ns);
  visit("speedup", record.speedup);
  visit("speedup_low", record.speedup_low);
  visit("speedup_high", record.speedup_high);
  visit("effort", record.effort);
  visit("partial", record.partial);
  visit("unstable", record.unstable);
  visit("self_checked", record.self_checked);
  visit("space", record.space);
  visit("toolchain", record.toolchain);
  visit("driver", record.driver);
  visit("device_uuid", record.device_uuid);
  visit("attune_version", record.attune_version);
  visit("protocol", record.protocol);
  visit("seed", record.seed);
  visit("trials", record.trials);
  visit("made_ms", record.made_ms);
}

// Those that format 3 added. They are part of the hash of records that know them.
constexpr int protocol_with_conditions = 3;
template <typename AnyRecord, typename Visitor>
void visit_conditions(AnyRecord& record, Visitor&& visit) {
  visit("min_ns", record.min_ns);
  visit("q1_ns", record.q1_ns);
  visit("q3_ns", record.q3_ns);
  visit("batch", record.batch);
  visit("rounds", record.rounds);
  visit("rounds_dropped", record.rounds_dropped);
  visit("sm_clock_mhz", record.sm_clock_mhz);
  visit("anchor_ratio", record.anchor_ratio);
  visit("busy", record.busy);
  visit("value", record.value);
  visit("default_value", record.default_value);
}

// What a record refers to in other tables.
template <typename AnyKey, typename Visitor>
void visit_key(AnyKey& key, Visitor&& visit) {
  visit("kernel", key.kernel);
  visit("code", key.code);
  visit("contract", key.contract);
  visit("device_class", key.device_class);
  visit("problem", key.problem);
}

template <typename AnySession, typename Visitor>
void visit_session(AnySession& session, Visitor&& visit) {
  visit("regime", session.key.record.regime);
  visit("objective", session.key.record.objective);
  visit("space", session.key.space);
  visit("effort", session.key.effort);
  visit("strategy", session.key.strategy);
  visit("state", session.state);
  visit("seed", session.seed);
  visit("used_seconds", session.used_seconds);
  visit("toolchain", session.toolchain);
  visit("driver", session.driver);
  visit("device_uuid", session.device_uuid);
  visit("host", session.host);
  visit("attune_version", session.attune_version);
  visit("protocol", session.protocol);
  visit("started_ms", session.started_ms);
}

template <typename AnyTrial, typename Visitor>
void visit_trial(AnyTrial& trial, Visitor&& visit) {
  visit("configuration", trial.configuration);
  visit("verdict", trial.verdict);
  visit("detail", trial.detail);
  visit("samples_ns", trial.measurement.samples_ns);
  visit("min_ns", trial.measurement.min_ns);
  visit("q1_ns", trial.measurement.q1_ns);
  visit("median_ns", trial.measurement.median_ns);
  visit("q3_ns", trial.measurement.q3_ns);
  visit("compile_ms", trial.compile_ms);
  visit("registers", trial.usage.registers);
  visit("shared_static", trial.usage.shared_static);
  visit("local_bytes", trial.usage.local_bytes);
  visit("spill_bytes", trial.usage.spill_bytes);
  visit("constant_bytes", trial.usage.constant_bytes);
  visit("max_error", trial.numerics.max_absolute);
  visit("self_checked", trial.self_checked);
  visit("anchor_ns", trial.anchor_ns);
  visit("attempts", trial.attempts);
  visit("batch", trial.batch);
  visit("max_relative", trial.numerics.max_relative);
  visit("max_ulp", trial.numerics.max_ulp);
}

template <typename AnyResult, typename Visitor>
void visit_finalist(AnyResult& result, Visitor&& visit) {
  visit("configuration", result.configuration);
  visit("samples_ns", result.measurement.samples_ns);
  visit("min_ns", result.measurement.min_ns);
  visit("q1_ns", result.measurement.q1_ns);
  visit("median_ns", result.measurement.median_ns);
  visit("q3_ns", result.measurement.q3_ns);
  visit("objectives", result.objective_values);
  visit("pareto", result.pareto);
  visit("energy_j", result.energy_j);
  visit("energy_error", result.energy_error);
  visit("max_error", result.numerics.max_absolute);
  visit("max_relative", result.numerics.max_relative);
  visit("max_ulp", result.numerics.max_ulp);
  visit("deterministic", result.deterministic);
  visit("registers", result.registers);
  visit("shared_bytes", result.shared_bytes);
}

template <typename AnyCeiling, typename Visitor>
void visit_ceiling(AnyCeiling& ceiling, Visitor&& visit) {
  visit("name", ceiling.name);
  visit("value", ceiling.value);
  visit("unit", ceiling.unit);
  visit("detail", ceiling.detail);
  visit("driver", ceiling.driver);
  visit("attune_version", ceiling.attune_version);
  visit("made_ms", ceiling.made_ms);
}

// A field as the text that the row hash covers. Reals: the shortest decimal that reads back equal.
std::string field_text(const std::string& value) { return value; }
std::string field_text(const Bindings& value) { return typed_json(value); }
template <typename T>
requires std::is_arithmetic_v<T> std::string field_text(T value) {
  if constexpr (std::same_as<T, bool>) return value ? "1" : "0";
  return fmt::format("{}", value);
}
std::string field_text(Effort value) { return field_text(static_cast<int>(value)); }

// Binds fields to the parameters of a statement that bear their names; NaN becomes NULL.
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) {}
  template <typename T>
  void operator()(const char* column, const std::optional<T>& value) {
    if (value) return (*this)(column, *value);
    statement_.bind(fmt::format(":{}", column));
  }
  template <typename T>
  void operator()(const char* column, const T& value) {
    const std::string parameter = fmt::format(":{}", column);
    if constexpr (std::derived_from<T, Bindings>)
      statement_.bind(parameter, typed_json(value));
    else if constexpr (std::same_as<T, std::vector<double>>)
      statement_.bind(parameter, numbers_json(value));
    else if constexpr (std::integral<T> || std::is_enum_v<T>)
      statement_.bind(parameter, static_cast<std::int64_t>(value));
    else
      statement_.bind(parameter, value);
  }

 private:
  SQLite::Statement& statement_;
};

// Reads fields from the columns that bear their names; sound() turns false at the first that no attune writes.
class Reader {
 public:
  explicit Reader(SQLite::Statement& statement) : statement_(statement) {}
  bool sound() const noexcept { return sound_; }

  void operator()(const char* column, std::string& value) { value = statement_.getColumn(column).getString(); }
  void operator()(const char* column, double& value) {
    value = statement_.isColumnNull(column) ? std::numeric_limits<double>::quiet_NaN()
                                            : statement_.getColumn(column).getDouble();
  }
  template <typename T>
  void operator()(const char* column, std::optional<T>& value) {
    value.reset();
    if (!statement_.isColumnNull(column)) (*this)(column, value.emplace());
  }
  template <std::integral T>
  void operator()(const char* column, T& value) {
    const std::int64_t stored = statement_.getColumn(column).getInt64();
    value = static_cast<T>(stored);
    sound_ = sound_ && static_cast<std::int64_t>(value) == stored;
  }
  template <typename T>
  requires std::is_enum_v<T>
  void operator()(const char* column, T& value) {
    const std::int64_t stored = statement_.getColumn(column).getInt64();
    value = static_cast<T>(stored);
    sound_ = sound_ && stored >= 0 && stored <= static_cast<std::int64_t>(last_of(T{}));
  }
  template <std::derived_from<Bindings> T>
  void operator()(const char* column, T& value) {
    auto bindings = bindings_from_typed_json(statement_.getColumn(column).getString());
    sound_ = sound_ && bindings.has_value();
    if (bindings) value = T(*std::move(bindings));
  }
  void operator()(const char* column, std::vector<double>& value) {
    auto numbers = numbers_from_json(statement_.getColumn(column).getString());
    sound_ = sound_ && numbers.has_value();
    if (numbers) value = *std::move(numbers);
  }

 private:
  static constexpr Effort last_of(Effort) { return Effort::exhaustive; }
  static constexpr SessionState last_of(SessionState) { return SessionState::finished; }
  static constexpr Verdict last_of(Verdict) { return Verdict::quarantined; }
  SQLite::Statement& statement_;
  bool sound_ = true;
};

void require_finite(const Record& record) {
  const double numbers[] = {record.median_ns,    record.default_ns, record.speedup,       record.speedup_low,
                            record.speedup_high, record.min_ns,     record.q1_ns,         record.q3_ns,
                            record.sm_clock_mhz, record.value,      record.default_value, record.anchor_ratio};
  for (const double number : numbers)
    if (!std::isfinite(number))
      throw UsageError(fmt::format("the record of {} ({}) has a time or ratio that is no number", record.key.kernel,
                                   record.key.problem.text()));
}

// Cut between characters, and said so.
std::string shortened(const std::string& detail) {
  if (detail.size() <= longest_detail_bytes) return detail;
  std::size_t end = longest_detail_bytes;
  while (end > 0 && (static_cast<unsigned char>(detail[end]) & 0xc0) == 0x80) --end;
  return detail.substr(0, end) + fmt::format("\n[{} bytes more]", detail.size() - end);
}

}  // namespace

void bind_key(SQLite::Statement& statement, const RecordKey& key) {
  Binder bind(statement);
  visit_key(key, bind);
  bind("problem_text", key.problem.text());
  bind("regime", key.regime);
  bind("objective", key.objective);
}

std::string row_hash(const Record& record) {
  Digest digest;
  const auto add = [&](const char*, const auto& value) { digest.add(std::string_view(field_text(value))); };
  visit_key(record.key, add);
  visit_record(record, add);
  if (record.protocol >= protocol_with_conditions) visit_conditions(record, add);
  return digest.hex();
}

void bind_record(SQLite::Statement& statement, const Record& record) {
  require_finite(record);
  Binder bind(statement);
  visit_record(record, bind);
  visit_conditions(record, bind);
  statement.bind(":row_hash", row_hash(record));
}

std::optional<Record> read_record(SQLite::Statement& statement) {
  Record record;
  Reader read(statement);
  visit_key(record.key, read);
  visit_record(record, read);
  if (record.protocol >= protocol_with_conditions) visit_conditions(record, read);
  if (!read.sound() || statement.getColumn("row_hash").getString() != row_hash(record)) return {};
  return record;
}

void bind_session(SQLite::Statement& statement, const SessionRow& session) {
  visit_session(session, Binder(statement));
}

std::optional<SessionRow> read_session(SQLite::Statement& statement) {
  SessionRow session;
  Reader read(statement);
  visit_key(session.key.record, read);
  visit_session(session, read);
  read("id", session.id);
  read("trials", session.trials);
  if (!read.sound()) return {};
  return session;
}

void bind_trial(SQLite::Statement& statement, const Trial& trial) {
  Binder bind(statement);
  visit_trial(trial, bind);
  bind("detail", shortened(trial.detail));
}

std::optional<Trial> read_trial(SQLite::Statement& statement) {
  Trial trial;
  Reader read(statement);
  visit_trial(trial, read);
  if (!read.sound() || trial.attempts < 1 || trial.batch < 1) return {};
  if (std::isnan(trial.numerics.max_relative)) trial.numerics.max_relative = 0;  // formats 1 and 2 did not know it
  return trial;
}

void bind_finalist(SQLite::Statement& statement, const FinalistResult& result) {
  visit_finalist(result, Binder(statement));
}

std::optional<FinalistResult> read_finalist(SQLite::Statement& statement) {
  FinalistResult result;
  Reader read(statement);
  visit_finalist(result, read);
  if (!read.sound()) return {};
  return result;
}

void bind_ceiling(SQLite::Statement& statement, const Ceiling& ceiling) { visit_ceiling(ceiling, Binder(statement)); }

std::optional<Ceiling> read_ceiling(SQLite::Statement& statement) {
  Ceiling ceiling;
  Reader read(statement);
  visit_ceiling(ceiling, read);
  if (!read.sound() || !(ceiling.value > 0)) return {};
  return ceiling;
}

std::optional<Attempt> read_attempt(SQLite::Statement& statement) {
  Attempt attempt;
  Configuration configuration;
  Reader read(statement);
  read("configuration", configuration);
  read("begun", attempt.begun);
  read("deaths", attempt.deaths);
  if (!read.sound() || attempt.begun < 1 || attempt.deaths < 0) return {};
  attempt.configuration = configuration.text();
  return attempt;
}

void bind_quarantine(SQLite::Statement& statement, const Trial& trial) {
  Binder bind(statement);
  bind("configuration", trial.configuration);
  bind("verdict", trial.verdict);
  bind("detail", shortened(trial.detail));
}

std::optional<QuarantineEntry> read_quarantine(SQLite::Statement& statement) {
  QuarantineEntry entry;
  Configuration configuration;
  Reader read(statement);
  read("configuration", configuration);
  read("verdict", entry.verdict);
  read("detail", entry.detail);
  read("made_ms", entry.made_ms);
  if (!read.sound()) return {};
  entry.configuration = configuration.text();
  return entry;
}

}  // namespace attune
