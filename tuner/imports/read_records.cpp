#include "imports/read_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_set>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/enum_texts.hpp"
#include "core/bindings_json.hpp"
#include "core/record_fields.hpp"
#include "db/value_json.hpp"
#include "imports/record_checks.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;

constexpr int most_depth = 16;
constexpr std::size_t most_member_bytes = 4096, most_records = 1'000'000;
// Fields without which a record says nothing. Others may be missing: they get the values of a fresh Record.
constexpr std::string_view needed[] = {"kernel", "code",      "contract",      "device_class", "problem", "uuid",
                                       "regime", "objective", "configuration", "median_ns",    "protocol"};

template <typename Number>
std::optional<Number> number_of(const ordered_json& value, bool is_text) {
  Number number{};
  if (is_text) {
    const auto& text = value.get_ref<const std::string&>();
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed == std::errc() && end == text.data() + text.size()) return number;
    return {};
  }
  if constexpr (std::floating_point<Number>) {
    if (value.is_number()) return value.get<Number>();
  } else if (value.is_number_unsigned()) {
    const auto whole = value.get<std::uint64_t>();
    if (std::in_range<Number>(whole)) return static_cast<Number>(whole);
  } else if (value.is_number_integer()) {
    const auto whole = value.get<std::int64_t>();
    if (std::in_range<Number>(whole)) return static_cast<Number>(whole);
  }
  return {};
}

std::optional<Value> value_of(const ordered_json& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_number()) {
    const auto whole = number_of<std::int64_t>(json, false);
    return whole ? std::optional(Value(*whole)) : std::nullopt;
  }
  return json.is_string() ? std::optional(Value(json.get<std::string>())) : std::nullopt;
}

std::optional<Bindings> bindings_in(const ordered_json& object, bool is_text) {
  if (is_text) {
    const auto& text = object.get_ref<const std::string&>();
    return text.starts_with('{') ? bindings_of_json(text) : std::optional(parse_bindings(text));
  }
  if (!object.is_object()) return {};
  std::vector<Binding> bindings;
  for (const auto& [name, item] : object.items()) {
    std::optional<Value> value = value_of(item);
    if (!value) return {};
    bindings.push_back({name, *std::move(value)});
  }
  return Bindings(std::move(bindings));
}

template <typename Enum>
std::optional<Enum> value_named(std::string_view name) {
  for (int i = 0; i < enum_size<Enum>(); ++i)
    if (to_text(static_cast<Enum>(i)) == name) return static_cast<Enum>(i);
  return {};
}

// Fills fields from the members of an object: of the kinds of JSON, or all of them texts.
class FieldReader {
 public:
  FieldReader(const ordered_json& object, bool is_text) : object_(object), is_text_(is_text) {}
  std::size_t found() const noexcept { return found_; }

  template <typename T>
  void operator()(const char* name, T& field) {
    const auto member = object_.find(name);
    if (member == object_.end()) {
      if (std::ranges::find(needed, std::string_view(name)) == std::end(needed)) return;
      throw UsageError(fmt::format("there is no `{}`", name));
    }
    ++found_;
    if (std::optional<T> value = read<T>(*member)) {
      field = *std::move(value);
      return;
    }
    const std::string text = member->dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    throw UsageError(fmt::format("{} is {}: expected {}", name, text.substr(0, most_shown), kind_of<T>()));
  }

 private:
  static constexpr std::size_t most_shown = 60;

  template <typename T>
  std::optional<T> read(const ordered_json& value) const {
    if (is_text_ && !value.is_string()) return {};
    if constexpr (std::derived_from<T, Bindings>) {
      std::optional<Bindings> bindings = bindings_in(value, is_text_);
      return bindings ? std::optional(T(*std::move(bindings))) : std::nullopt;
    } else if constexpr (std::is_enum_v<T>) {
      return value.is_string() ? value_named<T>(value.get_ref<const std::string&>()) : std::nullopt;
    } else if constexpr (std::same_as<T, std::string>) {
      return value.is_string() ? std::optional(value.get<std::string>()) : std::nullopt;
    } else if constexpr (std::same_as<T, bool>) {
      if (value.is_boolean()) return value.get<bool>();
      if (is_text_ && (value == "true" || value == "false")) return value == "true";
      return {};
    } else if constexpr (std::same_as<T, std::vector<BoardResult>>) {
      if (is_text_ && value == "") return T();
      return boards_from_json(is_text_ ? value.get<std::string>() : value.dump());
    } else {
      return number_of<T>(value, is_text_);
    }
  }

  template <typename T>
  static constexpr std::string_view kind_of() {
    if constexpr (std::derived_from<T, Bindings>) return "names with values";
    if constexpr (std::is_enum_v<T>) return "one of the names of the format";
    if constexpr (std::same_as<T, std::string>) return "a text";
    if constexpr (std::same_as<T, bool>) return "true or false";
    if constexpr (std::same_as<T, std::vector<BoardResult>>) return "a list of boards";
    return std::floating_point<T> ? "a number" : "a whole number";
  }

  const ordered_json& object_;
  bool is_text_;
  std::size_t found_ = 0;
};

// Collects records, each of another uuid.
class RecordCollector {
 public:
  void add(const ordered_json& object, bool is_text, const std::string& place) {
    try {
      Record record;
      FieldReader read(object, is_text);
      key_fields(read, record.key);
      fields(read, record);
      check_record(record);
      if (!uuids_.insert(record.uuid).second) throw UsageError("a record before it has the uuid " + record.uuid);
      collected_.unknown_fields += static_cast<std::int64_t>(object.size() - read.found());
      collected_.records.push_back(std::move(record));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", place, error.what()));
    }
    if (collected_.records.size() > most_records)
      throw UsageError(fmt::format("it has more than {} records", most_records));
  }
  std::size_t count() const noexcept { return collected_.records.size(); }
  ReadRecords take() { return std::move(collected_); }

 private:
  ReadRecords collected_;
  std::unordered_set<std::string> uuids_;
};

// Follows the parser through the document, takes each record as soon as it is read, and keeps the limits.
class DocumentReader {
 public:
  using Event = ordered_json::parse_event_t;

  bool operator()(int depth, Event event, ordered_json& parsed) {
    if (depth > most_depth) throw UsageError(fmt::format("it is nested more than {} deep", most_depth));
    if (parsed.is_string() && parsed.get_ref<const std::string&>().size() > most_member_bytes)
      throw UsageError(fmt::format("{} has a text of more than {} bytes", place(), most_member_bytes));
    const auto level = static_cast<std::size_t>(depth);
    if (event == Event::object_start && level < most_depth) keys_[level + 1].clear();
    if (event == Event::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!keys_[level].insert(name).second)
        throw UsageError(fmt::format("{} has the member `{}` twice", place(), name));
      if (depth == 1) is_in_records_ = name == "records";
    }
    if (depth != 2 || !is_in_records_ || event != Event::object_end) return true;
    records.add(parsed, false, place());
    return false;
  }
  RecordCollector records;

 private:
  std::string place() const { return is_in_records_ ? fmt::format("records[{}]", records.count()) : "the document"; }
  std::array<std::set<std::string>, most_depth + 1> keys_;  // of the objects that are open, by their depth
  bool is_in_records_ = false;
};

}  // namespace

ReadRecords records_from_json(std::string_view text) {
  DocumentReader reader;
  ordered_json document;
  try {
    document = ordered_json::parse(text, [&](int depth, DocumentReader::Event event, ordered_json& parsed) {
      return reader(depth, event, parsed);
    });
  } catch (const ordered_json::exception& error) {
    const std::string_view message = error.what();
    const auto bracket = message.find("] ");
    throw UsageError(
        fmt::format("this is no JSON: {}", bracket == std::string_view::npos ? message : message.substr(bracket + 2)));
  }
  constexpr int version = 1;
  if (!document.is_object() || document.value("format", ordered_json()) != "attune-wisdom" ||
      !document.value("records", ordered_json()).is_array())
    throw UsageError("expected an object with \"format\": \"attune-wisdom\" and a list of records");
  if (document.value("version", ordered_json()) != version)
    throw UsageError(fmt::format("its version is {}; this attune reads version {}",
                                 document.value("version", ordered_json()).dump(), version));
  if (!document["records"].empty()) throw UsageError("its `records` holds something that is no record");
  ReadRecords read = reader.records.take();
  read.unknown_fields += static_cast<std::int64_t>(document.size()) - 3;
  return read;
}

bool names_columns_of_records(const std::vector<std::string>& names) {
  return std::ranges::all_of(needed,
                             [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); });
}

ReadRecords records_from_csv(const std::vector<std::vector<std::string>>& rows) {
  RecordCollector records;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    ordered_json object;
    for (std::size_t column = 0; column < rows[i].size(); ++column) object[rows.front()[column]] = rows[i][column];
    records.add(object, true, fmt::format("row {}", i));
  }
  return records.take();
}

}  // namespace attune
