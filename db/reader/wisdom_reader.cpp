#include "db/reader/wisdom_reader.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "attune/error.hpp"
#include "base/descriptor.hpp"
#include "base/digest.hpp"
#include "base/mistrust.hpp"
#include "base/regular_file.hpp"
#include "core/bindings_json.hpp"
#include "core/record_fields.hpp"
#include "core/record_hash.hpp"
#include "db/wisdom_file.hpp"
#include "db/wisdom_format.hpp"

namespace attune {
namespace {

// Calls visit(name, member) for each column of the view except the last one, `hash`.
void columns(auto&& visit, Is<Record> auto& record) {
  key_fields(visit, record.key);
  application_fields(visit, record);
}

// The same of covers, whose table has what applications read.
void columns(auto&& visit, Is<Cover> auto& cover) { fields(visit, cover); }

template <typename T>
std::string column_names() {
  std::string names;
  const T value;
  columns([&](const char* name, const auto&) { names.append(name).append(", "); }, value);
  return names + "hash";
}

// Reads the columns of a row in their order.
class ColumnReader {
 public:
  explicit ColumnReader(const ReadStatement& row) : row_(row) {}
  void operator()(const char*, std::string& value) { value = row_.text(next_++); }
  void operator()(const char*, double& value) { value = row_.real(next_++); }
  void operator()(const char*, std::vector<Configuration>& value) {
    if (auto all = configurations_of_json(row_.text(next_++))) value = *std::move(all);
  }
  template <std::derived_from<Bindings> T>
  void operator()(const char*, T& value) {
    if (auto bindings = bindings_of_json(row_.text(next_++))) value = T(*std::move(bindings));
  }
  template <typename T>
  void operator()(const char*, T& value) {
    value = static_cast<T>(row_.integer(next_++));
  }
  std::string next() { return std::string(row_.text(next_++)); }

 private:
  const ReadStatement& row_;
  int next_ = 0;
};

// What a filter asks of a column. SQLite converts a text that it compares with a number into a number.
struct Condition {
  const char* text;
  std::string value;
};

std::vector<Condition> conditions_of(const RecordFilter& filter) {
  std::vector<Condition> conditions;
  const auto add = [&](const char* text, std::string_view value) {
    if (!value.empty()) conditions.push_back({text, std::string(value)});
  };
  add("kernel = ?", filter.kernel);
  add("code = ?", filter.code);
  add("contract = ?", filter.contract);
  add("objective = ?", filter.objective);
  add("regime = ?", filter.regime);
  add("device_class = ?", filter.device_class);
  add("device_class <> ?", filter.other_device_class);
  if (filter.compute_capability) add("compute_capability = ?", std::to_string(*filter.compute_capability));
  return conditions;
}

// Throws Error unless the view has attune's own text, and reads tables. SQLite expands views of views before anything
// looks at the time, and views may be recursive. What tables can do is bounded by the limits of a ReadConnection.
[[gnu::cold]] void require_own_view(ReadConnection& connection) {
  constexpr const char* tables =
      "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND rootpage > 0 AND name IN ('kernel', 'device', "
      "'problem', 'record', 'device_alias', 'cover')";
  ReadStatement view(connection, "SELECT sql FROM sqlite_schema WHERE name = 'application_record_1' AND type = 'view'");
  if (!view.next() || view.text(0) != application_view() || connection.number(tables) != 6)
    throw Error(
        fmt::format("the wisdom database {} has been changed by another program; name another file with ATTUNE_DB",
                    connection.file().string()));
}

// Throws Error for a file that others than this user and root can have written.
[[gnu::cold]] void require_trusted(const std::filesystem::path& file) {
  struct stat status {};
  const std::string why = stat(file.c_str(), &status) == 0 ? mistrust(status) : "";
  if (!why.empty()) throw Error(fmt::format("the wisdom database {} {}", file.string(), why));
}

}  // namespace

class WisdomReader::Reading : public RecordReading {
 public:
  Reading(const WisdomReader& reader, std::unique_ptr<ReadConnection> connection)
      : reader_(reader), connection_(std::move(connection)) {
    connection_->begin();
    if (!connection_->has_new_schema()) return;
    require_wisdom(reader.file_, connection_->number("PRAGMA application_id"));
    require_own_view(*connection_);
  }
  // Keeps the connection if end() allows it. If threads used several at once, only the last one to end is kept.
  ~Reading() override {
    if (connection_->end()) connection_.reset(reader_.idle_.exchange(connection_.release()));
  }

  std::vector<StoredRecord> rows(const RecordFilter& filter) override {
    static const std::string columns_text = column_names<Record>();
    std::vector<StoredRecord> found;
    select(columns_text, "application_record_1", filter, [&](const ReadStatement& row) {
      StoredRecord& stored = found.emplace_back();
      ColumnReader read(row);
      columns(read, stored.record);
      stored.hash = read.next();
    });
    return found;
  }

  [[gnu::cold]] std::vector<DeviceAlias> aliases() override {
    std::vector<DeviceAlias> found;
    ReadStatement rows(*connection_, "SELECT device, counts_as FROM device_alias ORDER BY device LIMIT 1000");
    while (rows.next()) found.push_back({std::string(rows.text(0)), std::string(rows.text(1))});
    return found;
  }

  std::vector<Problem> problems(const RecordFilter& filter) override {
    std::vector<Problem> found;
    select("DISTINCT problem", "application_record_1", filter, [&](const ReadStatement& row) {
      if (auto problem = bindings_of_json(row.text(0))) found.emplace_back(*std::move(problem));
    });
    return found;
  }

  std::vector<Cover> covers(const RecordFilter& filter, int& damaged) override {
    std::vector<Cover> found;
    select(column_names<Cover>(), "cover", filter, [&](const ReadStatement& row) {
      ColumnReader read(row);
      columns(read, found.emplace_back());
      if (is_sound(found.back(), read.next())) return;
      found.pop_back();
      ++damaged;
    });
    return found;
  }

 private:
  void select(const std::string& what, const char* table, const RecordFilter& filter,
              const std::function<void(const ReadStatement&)>& take) {
    std::vector<Condition> conditions = conditions_of(filter);
    if (!filter.problems.empty()) conditions.push_back({"problem = ?", {}});
    std::string query = "SELECT " + what + " FROM " + table;
    for (const Condition& condition : conditions)
      query.append(&condition == conditions.data() ? " WHERE " : " AND ").append(condition.text);
    const std::size_t most =
        filter.problems.empty() ? filter.most : std::min<std::size_t>(filter.most, most_rows_of_problem);
    ReadStatement rows(*connection_, query + " LIMIT " + std::to_string(most));
    int last = 0;
    for (const Condition& condition : conditions) rows.bind(++last, condition.value);
    const std::size_t times = std::max<std::size_t>(filter.problems.size(), 1);
    for (std::size_t i = 0; i < times; ++i) {
      if (!filter.problems.empty()) rows.bind(last, bindings_json(filter.problems[i]));
      while (rows.next()) take(rows);
      rows.reset();
    }
  }

  const WisdomReader& reader_;
  std::unique_ptr<ReadConnection> connection_;
};

WisdomReader::WisdomReader(std::filesystem::path file, double seconds, Access access)
    : file_(std::move(file)), seconds_(lock_wait_seconds(seconds)), access_(access) {}

WisdomReader::~WisdomReader() { delete idle_.load(); }

std::unique_ptr<RecordReading> WisdomReader::read() const {
  if (file_ == ":memory:" || !wisdom_file_exists(file_, false)) return nullptr;
  const bool is_immutable = access_ == Access::immutable_file;
  if (is_immutable) require_trusted(file_);
  std::unique_ptr<ReadConnection> connection(idle_.exchange(nullptr));
  if (connection == nullptr || !connection->is_of_present_file())
    connection = std::make_unique<ReadConnection>(file_, seconds_, is_immutable);
  return std::make_unique<Reading>(*this, std::move(connection));
}

// The file may be large, so it is read in pieces.
[[gnu::cold]] std::string WisdomReader::content_digest() const {
  if (access_ != Access::immutable_file || !wisdom_file_exists(file_, false)) return {};
  constexpr std::size_t piece = std::size_t{1} << 20;
  struct stat status {};
  const Descriptor file(open_regular(file_.c_str(), status));
  std::vector<std::byte> bytes(piece);
  Digest digest;
  ssize_t count = 0;
  off_t place = 0;
  std::size_t filled = 0;
  do {  // each piece is filled, because the digest counts the lengths of pieces
    filled = 0;
    while (filled < piece && (count = pread(file.get(), &bytes[filled], piece - filled, place)) > 0) {
      filled += static_cast<std::size_t>(count);
      place += count;
    }
    digest.add(std::span(bytes).first(filled));
  } while (filled == piece);
  if (count < 0) throw Error(fmt::format("the wisdom database {} cannot be read", file_.string()));
  return digest.hex();
}

}  // namespace attune
