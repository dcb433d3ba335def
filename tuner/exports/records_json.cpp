#include "exports/records_json.hpp"

#include <concepts>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "core/bindings_json.hpp"
#include "core/record_fields.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;

constexpr int format_version = 1;

// Adds fields to an object.
class FieldsOf {
 public:
  explicit FieldsOf(ordered_json& object) : object_(object) {}
  template <typename T>
  void operator()(const char* name, const std::optional<T>& value) {
    if (value) (*this)(name, *value);
  }
  template <typename T>
  void operator()(const char* name, const T& value) {
    if constexpr (std::derived_from<T, Bindings>)
      object_[name] = ordered_json::parse(bindings_json(value));
    else if constexpr (std::is_enum_v<T>)
      object_[name] = to_text(value);
    else if constexpr (std::same_as<T, std::vector<LaunchShape>>)
      for (const LaunchShape& shape : value)
        object_[name].push_back({{"grid", shape.grid}, {"block", shape.block}, {"shared", shape.shared_bytes}});
    else if constexpr (std::same_as<T, std::vector<BoardResult>>)
      object_[name] = to_json(value);
    else
      object_[name] = value;
  }

 private:
  ordered_json& object_;
};

}  // namespace

ordered_json to_json(const std::vector<BoardResult>& boards) {
  ordered_json list = ordered_json::array();
  for (const BoardResult& board : boards) {
    FieldsOf add(list.emplace_back());
    fields(add, board);
  }
  return list;
}

ordered_json to_json(const Record& record) {
  ordered_json object;
  FieldsOf add(object);
  key_fields(add, record.key);
  fields(add, record);
  return object;
}

ordered_json to_json(const FinalistResult& finalist) {
  ordered_json object;
  FieldsOf add(object);
  fields(add, finalist);
  object.erase("samples_ns");
  return object;
}

ordered_json to_json(const KeyedTrial& keyed) {
  ordered_json object;
  FieldsOf add(object);
  key_fields(add, keyed.key);
  object["regime"] = keyed.key.regime;
  object["objective"] = keyed.key.objective;
  object["session"] = keyed.session;
  fields(add, keyed.trial);
  object.erase("samples_ns");
  return object;
}

std::string records_to_json(const std::vector<Record>& records) {
  ordered_json list = ordered_json::array();
  for (const Record& record : records) list.push_back(to_json(record));
  const ordered_json document = {
      {"format", "attune-wisdom"}, {"version", format_version}, {"records", std::move(list)}};
  return document.dump(2, ' ', true, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace attune
