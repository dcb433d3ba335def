#include "db/wisdom_rows.hpp"

#include <SQLiteCpp/Column.h>
#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "attune/error.hpp"
#include "core/bindings_json.hpp"
#include "core/record_hash.hpp"
#include "core/record_order.hpp"
#include "db/fields.hpp"
#include "db/value_json.hpp"

namespace attune {
namespace {

// Longer logs are cut, because a template error can have 100 MB and a session has thousands of trials.
constexpr std::size_t longest_detail_bytes = 64 << 10;

// Binds fields to the statement's parameters of the same names; NaN becomes NULL.
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
      statement_.bind(parameter, bindings_json(value));
    else if constexpr (std::same_as<T, std::vector<Configuration>>)
      statement_.bind(parameter, configurations_json(value));
    else if constexpr (std::same_as<T, std::vector<double>>)
      statement_.bind(parameter, numbers_json(value));
    else if constexpr (std::same_as<T, std::vector<LaunchShape>>)
      statement_.bind(parameter, shapes_json(value));
    else if constexpr (std::same_as<T, std::vector<BoardResult>>)
      statement_.bind(parameter, boards_json(value));
    else if constexpr (std::integral<T> || std::is_enum_v<T>)
      statement_.bind(parameter, static_cast<std::int64_t>(value));
    else
      statement_.bind(parameter, value);
  }

 private:
  SQLite::Statement& statement_;
};

// Reads fields from the columns of the same names. sound() is false after the first value that attune never writes.
class RowReader {
 public:
  explicit RowReader(SQLite::Statement& statement) : statement_(statement) {}
  bool sound() const noexcept { return sound_; }

  void operator()(const char* column, std::string& value) { value = cell(column).getString(); }
  void operator()(const char* column, double& value) {
    const SQLite::Column stored = cell(column);
    value = stored.isNull() ? std::numeric_limits<double>::quiet_NaN() : stored.getDouble();
  }
  template <typename T>
  void operator()(const char* column, std::optional<T>& value) {
    value.reset();
    if (statement_.getColumn(column).isNull()) return;
    (*this)(column, value.emplace());
  }
  template <std::integral T>
  void operator()(const char* column, T& value) {
    const std::int64_t stored = cell(column).getInt64();
    value = static_cast<T>(stored);
    sound_ = sound_ && static_cast<std::int64_t>(value) == stored;
  }
  template <typename T>
  requires std::is_enum_v<T>
  void operator()(const char* column, T& value) {
    const std::int64_t stored = cell(column).getInt64();
    value = static_cast<T>(stored);
    sound_ = sound_ && stored >= 0 && stored <= static_cast<std::int64_t>(last_of(T{}));
  }
  template <std::derived_from<Bindings> T>
  void operator()(const char* column, T& value) {
    if (auto bindings = take(bindings_of_json(cell(column).getString()))) value = T(*std::move(bindings));
  }
  void operator()(const char* column, std::vector<Configuration>& value) {
    if (auto all = take(configurations_of_json(statement_.getColumn(column).getString()))) value = *std::move(all);
  }
  void operator()(const char* column, std::vector<double>& value) {
    if (auto numbers = take(numbers_from_json(cell(column).getString()))) value = *std::move(numbers);
  }
  void operator()(const char* column, std::vector<LaunchShape>& value) {
    if (auto shapes = take(shapes_from_json(cell(column).getString()))) value = *std::move(shapes);
  }
  void operator()(const char* column, std::vector<BoardResult>& value) {
    if (auto boards = take(boards_from_json(cell(column).getString()))) value = *std::move(boards);
  }

 private:
  // Returns a field of the row. Rows of a query are read in one order of fields, so that the place of a field in the
  // row before is tried first: looking a name up takes longer than reading its value.
  SQLite::Column cell(const char* column) {
    thread_local std::vector<int> places;
    if (visited_ == places.size()) places.push_back(0);
    int& place = places[visited_++];
    if (place >= statement_.getColumnCount() || std::strcmp(statement_.getColumnName(place), column) != 0)
      place = statement_.getColumnIndex(column);
    return statement_.getColumn(place);
  }
  template <typename T>
  std::optional<T> take(std::optional<T> parsed) {
    sound_ = sound_ && parsed.has_value();
    return parsed;
  }
  static constexpr Effort last_of(Effort) { return Effort::exhaustive; }
  static constexpr SessionState last_of(SessionState) { return SessionState::finished; }
  static constexpr Verdict last_of(Verdict) { return Verdict::quarantined; }
  static constexpr Origin last_of(Origin) { return Origin::pinned; }
  static constexpr Choice last_of(Choice) { return Choice::record_stays; }
  SQLite::Statement& statement_;
  std::size_t visited_ = 0;  // fields
  bool sound_ = true;
};

// Adds the parts of a row that are not among its fields.
void more_fields(const auto&, const auto&) {}
void more_fields(const auto& visit, const Record& record) {
  visit("strength", strength_of(record));
  visit("hash", record_hash(record));
}
void more_fields(const auto& visit, const Cover& cover) { visit("hash", cover_hash(cover)); }

void require_storable(const auto&) {}
void require_storable(const Record& record) {
  const auto require = [&](const char*, const auto& value) {
    if constexpr (std::floating_point<std::remove_cvref_t<decltype(value)>>)
      if (!std::isfinite(value))
        throw UsageError(fmt::format("the record of {} ({}) has a time or ratio that is no number", record.key.kernel,
                                     record.key.problem.text()));
  };
  fields(require, record);
  for (const BoardResult& board : record.boards) fields(require, board);
}

// Cuts between characters, and marks the cut.
std::string shortened(const std::string& detail) {
  if (detail.size() <= longest_detail_bytes) return detail;
  std::size_t end = longest_detail_bytes;
  while (end > 0 && (static_cast<unsigned char>(detail[end]) & 0xc0) == 0x80) --end;
  return detail.substr(0, end) + fmt::format("\n[{} bytes more]", detail.size() - end);
}

// Sets the rest of a value once its fields are read. Returns false for a row that attune never writes.
bool complete(const Ceiling& ceiling, RowReader&) { return ceiling.value > 0; }
bool complete(const FinalistResult&, RowReader&) { return true; }
bool complete(const Attempt& attempt, RowReader&) {
  return attempt.begun >= 1 && attempt.alone >= 0 && attempt.alone <= attempt.begun;
}
bool complete(SessionRow& session, RowReader& read) {
  key_fields(read, session.key.record);
  read("id", session.id);
  read("trials", session.trials);
  return true;
}
bool complete(const Trial& trial, RowReader&) {
  return trial.attempts >= 1 && trial.batch >= 1 && trial.worker >= 0 && trial.deaths >= 0;
}

template <typename T>
std::string insert_text(const char* table, const std::vector<const char*>& ids, Conflict conflict) {
  constexpr const char* clauses[] = {"", "OR REPLACE", "OR IGNORE"};
  const T value{};
  std::string columns, parameters;
  const auto add = [&](const char* column, const auto&) {
    const char* const comma = columns.empty() ? "" : ", ";
    columns.append(comma).append(column);
    parameters.append(comma).append(":").append(column);
  };
  for (const char* const column : ids) add(column, 0);
  fields(add, value);
  more_fields(add, value);
  return fmt::format("INSERT {} INTO {}({}) VALUES ({})", clauses[static_cast<int>(conflict)], table, columns,
                     parameters);
}

}  // namespace

const char* const where_key = R"sql(
  WHERE kernel = :kernel AND code = :code AND contract = :contract AND device_class = :device_class
    AND problem = :problem AND regime = :regime AND objective = :objective
)sql";
const std::string of_present_meaning = fmt::format(" AND protocol >= {} ", first_present_protocol);

void bind_key(SQLite::Statement& statement, const RecordKey& key) {
  Binder bind(statement);
  key_fields(bind, key);
  bind("regime", key.regime);
  bind("objective", key.objective);
}

RecordKey read_key(SQLite::Statement& statement) {
  RecordKey key;
  RowReader read(statement);
  key_fields(read, key);
  read("regime", key.regime);
  read("objective", key.objective);
  return key;
}

template <typename T>
RowInserter<T>::RowInserter(SQLite::Database& database, const char* table, const std::vector<const char*>& ids,
                            Conflict conflict)
    : database_(database), statement_(database, insert_text<T>(table, ids, conflict)) {}

template <typename T>
std::int64_t RowInserter<T>::insert(Ids ids, const T& value) {
  require_storable(value);
  statement_.reset();
  Binder bind(statement_);
  for (const auto& [column, id] : ids) bind(column, id);
  fields(
      [&](const char* column, const auto& field) {
        if constexpr (std::same_as<std::remove_cvref_t<decltype(field)>, std::string>)
          if (std::string_view(column) == "detail") return bind(column, shortened(field));
        bind(column, field);
      },
      value);
  more_fields([&](const char* column, const auto& field) { bind(column, field); }, value);
  return statement_.exec() == 0 ? 0 : database_.getLastInsertRowid();
}

template class RowInserter<Record>;
template class RowInserter<FinalistResult>;
template class RowInserter<SessionRow>;
template class RowInserter<Trial>;
template class RowInserter<Ceiling>;
template class RowInserter<Cover>;

template <typename T>
std::optional<T> read_row(SQLite::Statement& statement) {
  T value;
  RowReader read(statement);
  fields(read, value);
  if (!complete(value, read) || !read.sound()) return {};
  return value;
}

template std::optional<FinalistResult> read_row(SQLite::Statement&);
template std::optional<SessionRow> read_row(SQLite::Statement&);
template std::optional<Trial> read_row(SQLite::Statement&);
template std::optional<Ceiling> read_row(SQLite::Statement&);
template std::optional<Attempt> read_row(SQLite::Statement&);

template <>
std::optional<Record> read_row(SQLite::Statement& statement) {
  Record record;
  RowReader read(statement);
  key_fields(read, record.key);
  fields(read, record);
  if (!read.sound() || !is_sound(record, statement.getColumn("hash").getString())) return {};
  return record;
}

template <>
std::optional<Cover> read_row(SQLite::Statement& statement) {
  Cover cover;
  RowReader read(statement);
  fields(read, cover);
  if (!read.sound() || !is_sound(cover, statement.getColumn("hash").getString())) return {};
  return cover;
}

template <>
std::optional<QuarantineEntry> read_row(SQLite::Statement& statement) {
  QuarantineEntry entry;
  RowReader read(statement);
  read("configuration", entry.configuration);
  read("verdict", entry.verdict);
  read("detail", entry.detail);
  read("made_ms", entry.made_ms);
  if (!read.sound()) return {};
  return entry;
}

}  // namespace attune
