#include "exports/records_csv.hpp"

#include <fmt/format.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <ranges>
#include <type_traits>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "core/bindings_json.hpp"
#include "core/record_fields.hpp"
#include "exports/records_json.hpp"

namespace attune {
namespace {

// Returns a text such as `n=1024 T=float`, or JSON where such a text would not read back equal.
std::string bindings_text(const Bindings& bindings) {
  std::string text = bindings.text();
  try {
    if (parse_bindings(text) == bindings) return text;
  } catch (const Error&) {
  }
  return bindings_json(bindings);
}

// Returns the text of a field; for a real, the shortest text that reads back equal.
template <typename T>
std::string field_text(const T& value) requires(!std::ranges::range<T> || std::derived_from<T, Bindings> ||
                                                std::convertible_to<T, std::string>) {
  if constexpr (std::derived_from<T, Bindings>)
    return bindings_text(value);
  else if constexpr (std::is_enum_v<T>)
    return std::string(to_text(value));
  else
    return fmt::format("{}", value);
}

std::string field_text(const std::vector<BoardResult>& boards) {
  return boards.empty() ? "" : to_json(boards).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// Visits what a line has of a row, in the order of the columns.
void columns(auto&& visit, const Record& record) {
  key_fields(visit, record.key);
  fields(visit, record);
}

void columns(auto&& visit, const KeyedTrial& keyed) {
  key_fields(visit, keyed.key);
  visit("regime", keyed.key.regime);
  visit("objective", keyed.key.objective);
  visit("session", keyed.session);
  const auto but_lists = [&](const char* name, const auto& value) {
    if constexpr (requires { field_text(value); }) visit(name, value);
  };
  fields(but_lists, keyed.trial);
}

template <typename Row>
std::string to_csv(const std::vector<Row>& rows) {
  std::string lines;
  const auto add_line = [&](const Row& row, const auto& text_of) {
    std::string line;
    const auto add = [&](const char* name, const auto& value) {
      line += (line.empty() ? "" : ",") + csv_quoted(text_of(name, value));
    };
    columns(add, row);
    lines += line + "\r\n";
  };
  add_line({}, [](const char* name, const auto&) { return std::string(name); });
  for (const Row& row : rows) add_line(row, [](const char*, const auto& value) { return field_text(value); });
  return lines;
}

}  // namespace

std::string csv_quoted(const std::string& field) {
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + '"';
}

std::string records_to_csv(const std::vector<Record>& records) { return to_csv(records); }

std::string trials_to_csv(const std::vector<KeyedTrial>& trials) { return to_csv(trials); }

}  // namespace attune
