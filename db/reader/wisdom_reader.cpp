#include "db/reader/wisdom_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "attune/error.hpp"
#include "db/lock_wait.hpp"
#include "db/reader/application_record.hpp"
#include "db/reader/format_4.hpp"
#include "db/reader/sqlite_reading.hpp"
#include "db/wisdom_failure.hpp"
#include "db/wisdom_file.hpp"
#include "kernel/nearness.hpp"
#include "kernel/plain_bindings.hpp"

namespace attune {
namespace {

constexpr std::int64_t wisdom_application_id = 0x6174746e;  // "attn"
// From this format on there is application_record_1; formats before `oldest_format` are not read.
constexpr std::int64_t first_format_with_view = 5, oldest_format = 4;

// A record as text, and whether its bindings are those of the kernel asked for.
struct Row {
  std::int64_t id = 0;
  Record record;
  std::string problem, configuration, hash;
};

// One look-up in an open database.
class LookUp {
 public:
  LookUp(ReadConnection& connection, const MatchRequest& request) : connection_(connection), request_(request) {
    const std::filesystem::path& file = connection.file();
    if (connection.number("PRAGMA application_id") != wisdom_application_id)
      throw Error(
          fmt::format("{} is an SQLite database of another program, not a wisdom database; name another file "
                      "with ATTUNE_DB",
                      file.string()));
    const std::int64_t format = connection.number("PRAGMA user_version");
    if (format < oldest_format)
      throw Error(
          fmt::format("the wisdom database {} has the older format {}; open it once for writing (attune tune), "
                      "which brings it forward and keeps a copy",
                      file.string(), format));
    has_view_ = format >= first_format_with_view;
    source_ = has_view_ ? "application_record_1" : records_of_format_4;
  }

  Candidates run(Reach reach) {
    add_records(" AND problem = :problem AND device_class = :device_class", [](ReadStatement& select, const auto& r) {
      select.bind(":problem", r.problem.text()).bind(":device_class", r.device.class_key());
    });
    const bool is_known =
        std::ranges::any_of(found_.records, [&](const Record& record) { return record.key.regime == request_.regime; });
    if (is_known && reach == Reach::this_problem) return std::move(found_);
    found_.are_all = true;
    add_near_records();
    add_records(
        " AND problem = :problem AND device_class <> :device_class AND regime = :regime AND"
        " compute_capability = :compute_capability",
        [](ReadStatement& select, const auto& r) {
          select.bind(":problem", r.problem.text()).bind(":device_class", r.device.class_key());
          select.bind(":regime", r.regime).bind(":compute_capability", std::int64_t{r.device.compute_capability});
        });
    if (found_.records.empty()) add_near_misses();
    return std::move(found_);
  }

  // Returns every record of the code and contract, of every objective.
  std::vector<Record> all(std::string_view device_kind) {
    ReadStatement rows = select("*", " WHERE current = 1 AND code = :code AND contract = :contract");
    rows.bind(":code", request_.spec.fingerprints.code).bind(":contract", request_.spec.fingerprints.contract);
    while (rows.next())
      if (Row row = row_of(rows); kind_of(row.record.key.device_class) == device_kind) add(std::move(row));
    return std::move(found_.records);
  }

 private:
  static constexpr const char* of_family =
      " WHERE current = 1 AND code = :code AND contract = :contract AND objective = :objective";

  ReadStatement select(std::string_view columns, std::string_view condition) {
    return ReadStatement(connection_, fmt::format("SELECT {} FROM {}{}", columns, source_, condition));
  }

  void bind_family(ReadStatement& statement) const {
    statement.bind(":code", request_.spec.fingerprints.code).bind(":contract", request_.spec.fingerprints.contract);
    statement.bind(":objective", request_.objective);
  }

  template <typename Bind>
  void add_records(std::string_view condition, const Bind& bind) {
    ReadStatement rows = select("*", fmt::format("{}{}", of_family, condition));
    bind_family(rows);
    bind(rows, request_);
    while (rows.next()) add(row_of(rows));
  }

  // The problems alone are read first: there may be many.
  void add_near_records() {
    ReadStatement rows =
        select("id, problem", fmt::format("{} AND device_class = :device_class AND regime = :regime", of_family));
    bind_family(rows);
    rows.bind(":device_class", request_.device.class_key()).bind(":regime", request_.regime);
    std::vector<std::tuple<double, double, std::int64_t>> near;
    while (rows.next()) {
      const auto problem = problem_of_text(request_.spec, rows.text(1));
      if (!problem || same_problem(request_.problem, *problem)) continue;
      const ProblemDistance apart = problem_distance(request_.spec, request_.problem, *problem);
      if (apart.differing > 0 || !apart.within_factor_2) continue;
      near.emplace_back(apart.squared_octaves, -apart.log2_size, rows.integer(0));
    }
    const auto end = near.begin() + std::min<std::ptrdiff_t>(std::ssize(near), most_near_records);
    std::ranges::partial_sort(near, end);
    near.erase(end, near.end());
    for (const auto& [octaves, size, id] : near) {
      ReadStatement row = select("*", " WHERE id = :id");
      row.bind(":id", id);
      if (row.next()) add(row_of(row));
    }
  }

  void add_near_misses() {
    ReadStatement rows = select("*", fmt::format(" WHERE current = 1 AND kernel = :kernel LIMIT {}", most_near_misses));
    rows.bind(":kernel", request_.spec.name);
    while (rows.next()) {
      Row row = row_of(rows);
      if (auto problem = problem_of_text(request_.spec, row.problem)) row.record.key.problem = *std::move(problem);
      found_.near_misses.push_back(std::move(row.record));
    }
  }

  static Row row_of(const ReadStatement& select) {
    Row row;
    row.id = select.integer(select.column("id"));
    const auto read = [&]<typename T>(const char* column, T& value) {
      const int i = select.column(column);
      if constexpr (std::is_same_v<T, std::string>)
        value = select.text(i);
      else if constexpr (std::is_same_v<T, double>)
        value = select.real(i);
      else
        value = static_cast<T>(select.integer(i));
    };
    application_fields(read, row.record, row.problem, row.configuration);
    read("hash", row.hash);
    row.record.key.generation = generation_of(row.record.protocol);
    return row;
  }

  bool is_sound(const Row& row) {
    if (row.record.effort < Effort::estimate || row.record.effort > Effort::exhaustive) return false;
    if (!has_view_) return is_sound_of_format_4(connection_, row.id);
    return row.hash == application_hash(row.record, row.problem, row.configuration);
  }

  // A row of another kernel text's values stays out: it has no configuration of this kernel.
  void take(Row row) {
    auto problem = problem_of_text(request_.spec, row.problem);
    auto configuration = configuration_of_text(request_.spec, row.configuration);
    row.record.key.problem = problem ? *std::move(problem) : Problem();
    if (configuration) row.record.configuration = *std::move(configuration);
    (problem && configuration ? found_.records : found_.near_misses).push_back(std::move(row.record));
  }

  void add(Row row) {
    if (!seen_.insert(row.id).second) return;
    if (is_sound(row)) {
      take(std::move(row));
      return;
    }
    ++found_.damaged;
    if (auto other = strongest_sound(row)) take(*std::move(other));
  }

  // Returns the record that serves for the key of a damaged one.
  std::optional<Row> strongest_sound(const Row& damaged) {
    ReadStatement rows = select(
        "*", fmt::format(" WHERE kernel = :kernel AND code = :code AND contract = :contract AND objective = :objective"
                         " AND problem = :problem AND device_class = :device_class AND regime = :regime"
                         " ORDER BY protocol >= {} DESC, effort DESC, partial, made_ms DESC, id DESC",
                         first_present_protocol));
    const RecordKey& key = damaged.record.key;
    rows.bind(":kernel", key.kernel).bind(":code", key.code).bind(":contract", key.contract);
    rows.bind(":objective", key.objective).bind(":problem", damaged.problem);
    rows.bind(":device_class", key.device_class).bind(":regime", key.regime);
    while (rows.next()) {
      Row row = row_of(rows);
      if (row.id != damaged.id && is_sound(row)) return row;
    }
    return std::nullopt;
  }

  ReadConnection& connection_;
  const MatchRequest& request_;
  bool has_view_ = true;
  std::string_view source_;
  Candidates found_;
  std::set<std::int64_t> seen_;
};

}  // namespace

WisdomReader::WisdomReader(std::filesystem::path file, double seconds)
    : file_(std::move(file)), seconds_(lock_wait_seconds(seconds)) {}

WisdomReader::~WisdomReader() { delete idle_.load(); }

// Returns a connection that reads; null: there is no file.
std::unique_ptr<ReadConnection> WisdomReader::connect() const {
  if (file_ == ":memory:" || !wisdom_file_exists(file_, false)) return nullptr;
  std::unique_ptr<ReadConnection> connection(idle_.exchange(nullptr));
  if (connection == nullptr || !connection->is_of_present_file())
    connection = std::make_unique<ReadConnection>(file_, seconds_);
  connection->begin();
  return connection;
}

// One that failed is not kept, and of several that threads used at once the last.
void WisdomReader::keep(std::unique_ptr<ReadConnection> connection) const {
  if (connection->end()) connection.reset(idle_.exchange(connection.release()));
}

Candidates WisdomReader::candidates(const MatchRequest& request, Reach reach) const {
  std::unique_ptr<ReadConnection> connection = connect();
  if (connection == nullptr) return {};
  Candidates found = LookUp(*connection, request).run(reach);
  keep(std::move(connection));
  return found;
}

std::vector<Record> WisdomReader::records_of(const KernelSpec& spec, std::string_view device_kind) const {
  std::unique_ptr<ReadConnection> connection = connect();
  if (connection == nullptr) return {};
  const Problem none;
  const DeviceInfo any;
  const MatchRequest request{spec, none, any, spec.name};
  std::vector<Record> found = LookUp(*connection, request).all(device_kind);
  keep(std::move(connection));
  return found;
}

}  // namespace attune
