#include "exports/records_csv.hpp"

#include <fmt/format.h>

#include <concepts>
#include <type_traits>

#include "core/record_fields.hpp"

namespace attune {
namespace {

// Reals: the shortest text that reads back equal.
template <typename T>
std::string field_text(const T& value) {
  if constexpr (std::derived_from<T, Bindings>)
    return value.text();
  else if constexpr (std::is_enum_v<T>)
    return std::string(to_text(value));
  else
    return fmt::format("{}", value);
}

std::string quoted(const std::string& field) {
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

}  // namespace

std::string records_to_csv(const std::vector<Record>& records) {
  std::string lines;
  const auto add_line = [&](const Record& record, const auto& text_of) {
    std::string line;
    const auto add = [&](const char* name, const auto& value) {
      line += (line.empty() ? "" : ",") + quoted(text_of(name, value));
    };
    key_fields(add, record.key);
    fields(add, record);
    lines += line + "\r\n";
  };
  add_line({}, [](const char* name, const auto&) { return std::string(name); });
  for (const Record& record : records)
    add_line(record, [](const char*, const auto& value) { return field_text(value); });
  return lines;
}

}  // namespace attune
