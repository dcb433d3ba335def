#include "db/exchange_json.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "db/fields.hpp"
#include "db/value_json.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;

constexpr int format_version = 1;

template <typename T>
ordered_json field_json(const T& value) {
  if constexpr (std::derived_from<T, Bindings>)
    return plain_json(value);
  else if constexpr (std::same_as<T, Effort>)
    return to_text(value);
  else
    return value;
}

constexpr std::pair<std::string_view, const char*> device_fields[] = {{"device_class", "class"},
                                                                      {"device_name", "name"},
                                                                      {"compute_capability", "compute_capability"},
                                                                      {"multiprocessors", "multiprocessors"},
                                                                      {"device_uuid", "uuid"},
                                                                      {"driver", "driver"}};

// The documented order of members, where it differs from the fields. All others follow.
constexpr const char* leading[] = {
    "uuid",      "kernel",        "code",         "contract",   "space",   "device",      "problem",      "regime",
    "objective", "configuration", "median_ns",    "default_ns", "speedup", "speedup_low", "speedup_high", "effort",
    "partial",   "unstable",      "self_checked", "trials",     "seed",    "protocol"};

ordered_json record_json(const Record& record) {
  ordered_json made;
  for (const char* name : leading) made[name] = nullptr;
  for (const auto& [column, name] : device_fields) made["device"][name] = nullptr;
  const auto add = [&](const char* column, const auto& value) {
    for (const auto& [known, name] : device_fields)
      if (known == column) {
        made["device"][name] = field_json(value);
        return;
      }
    made[column] = field_json(value);
  };
  key_fields(add, record.key);
  fields(add, record);
  return made;
}

// Devices and drivers may have any name: bytes that are not UTF-8 are replaced.
std::string dump(const ordered_json& value, int indent) {
  return value.dump(indent, ' ', true, ordered_json::error_handler_t::replace);
}

}  // namespace

std::string records_to_json(const std::vector<Record>& records) {
  ordered_json list = ordered_json::array();
  for (const Record& record : records) list.push_back(record_json(record));
  const ordered_json document = {
      {"format", "attune-wisdom"}, {"version", format_version}, {"records", std::move(list)}};
  return dump(document, 2) + "\n";
}

std::string record_to_json_line(const Record& record) { return dump(record_json(record), -1); }

}  // namespace attune
