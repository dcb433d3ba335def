// Stored values by their lists of fields (db/fields.hpp): as texts that compare and show themselves, and random ones.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/bindings_json.hpp"
#include "db/fields.hpp"
#include "db/value_json.hpp"

namespace attune::test {

using FieldTexts = std::vector<std::pair<std::string, std::string>>;

template <typename T>
std::string text_of_field(const T& value) {
  if constexpr (std::derived_from<T, Bindings>)
    return bindings_json(value);
  else if constexpr (std::same_as<T, std::vector<Configuration>>)
    return configurations_json(value);
  else if constexpr (std::same_as<T, std::vector<double>>)
    return numbers_json(value);
  else if constexpr (std::same_as<T, std::vector<LaunchShape>>)
    return shapes_json(value);
  else if constexpr (std::same_as<T, std::vector<BoardResult>>)
    return boards_json(value);
  else if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", static_cast<int>(value));
  else
    return fmt::format("{}", value);
}
template <typename T>
std::string text_of_field(const std::optional<T>& value) {
  return value ? text_of_field(*value) : "nothing";
}

// All fields of a value with their names; those of its key too.
template <typename T>
FieldTexts texts_of(const T& value) {
  FieldTexts texts;
  const auto add = [&](const char* column, const auto& field) { texts.emplace_back(column, text_of_field(field)); };
  if constexpr (std::same_as<T, Record>) key_fields(add, value.key);
  if constexpr (std::same_as<T, SessionRow>) key_fields(add, value.key.record);
  fields(add, value);
  return texts;
}

// What applications read of a record.
inline FieldTexts application_texts(const Record& record) {
  FieldTexts texts;
  application_fields([&](const char* column, const auto& field) { texts.emplace_back(column, text_of_field(field)); },
                     record);
  return texts;
}

// The names of all fields.
template <typename T>
std::vector<std::string> columns_of() {
  std::vector<std::string> columns;
  const T value;
  fields([&](const char* column, const auto&) { columns.push_back(column); }, value);
  return columns;
}

// Fills fields with what a row may hold.
class RandomFields {
 public:
  explicit RandomFields(unsigned seed) : engine_(seed) {}

  template <typename T>
  T make() {
    T value;
    if constexpr (std::same_as<T, Record>) key_fields(*this, value.key);
    if constexpr (std::same_as<T, SessionRow>) key_fields(*this, value.key.record);
    fields(*this, value);
    return value;
  }

  void operator()(const char*, bool& value) { value = flag(); }
  void operator()(const char* name, int& value) {
    value = std::string_view(name) == "protocol" ? first_present_protocol : 1 + static_cast<int>(below(9));
  }
  void operator()(const char*, std::int64_t& value) { value = static_cast<std::int64_t>(engine_()); }
  void operator()(const char*, std::uint64_t& value) { value = engine_(); }
  void operator()(const char*, double& value) {
    constexpr double odd[] = {0, 0.1, 1.8999999999999999, 1e308, 5e-324};
    value = flag() ? odd[below(std::size(odd))] : static_cast<double>(1 + engine_()) * 1e-7;
  }
  void operator()(const char*, std::string& value) {
    value.clear();
    for (std::size_t i = below(12); i > 0; --i) value += static_cast<char>(below(256));
  }
  void operator()(const char*, Effort& value) { value = static_cast<Effort>(below(4)); }
  void operator()(const char*, SessionState& value) { value = static_cast<SessionState>(below(3)); }
  void operator()(const char*, Verdict& value) { value = static_cast<Verdict>(below(15)); }
  void operator()(const char*, Origin& value) { value = static_cast<Origin>(below(4)); }
  void operator()(const char*, Choice& value) { value = static_cast<Choice>(below(4)); }
  template <std::derived_from<Bindings> T>
  void operator()(const char*, T& value) {
    std::vector<Binding> bindings{{"number", static_cast<std::int64_t>(engine_())}};
    for (std::size_t i = below(4); i > 0; --i) bindings.push_back({"p" + std::to_string(i), binding_value()});
    value = T(Bindings(std::move(bindings)));
  }
  void operator()(const char*, std::vector<LaunchShape>& value) {
    value.resize(below(3));
    for (LaunchShape& shape : value) {
      for (auto* sizes : {&shape.grid, &shape.block})
        for (std::uint32_t& size : *sizes) size = static_cast<std::uint32_t>(engine_());
      shape.shared_bytes = engine_();
    }
  }
  void operator()(const char*, std::vector<BoardResult>& value) {
    value.resize(below(3));
    for (BoardResult& board : value) {
      for (std::size_t i = below(12); i > 0; --i) board.uuid += static_cast<char>(below(128));
      board.rounds = static_cast<std::int64_t>(below(1000));
      for (double* const number : {&board.median_ns, &board.speedup}) (*this)("", *number);
    }
  }
  void operator()(const char* column, std::vector<double>& value) {
    value.resize(below(4));
    for (double& number : value) (*this)(column, number);
    if (flag()) value.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  template <typename T>
  void operator()(const char* column, std::optional<T>& value) {
    value.reset();
    if (flag()) (*this)(column, value.emplace());
  }
  template <std::integral T>
  void operator()(const char*, T& value) {
    value = static_cast<T>(engine_());
  }

 private:
  bool flag() { return below(2) == 1; }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(engine_() % count); }
  Value binding_value() {
    double real = 0;
    (*this)("", real);
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const Value values[] = {flag(),      static_cast<std::int64_t>(engine_()),
                            real,        -0.0,
                            least,       most,
                            0,           1e22,
                            1.0 / 3,     1.7976931348623157e308,
                            "ns::naïve", "1.0",
                            "true",      "a \"b\" \\ \n é",
                            ""};
    return values[below(std::size(values))];
  }
  std::mt19937_64 engine_;
};

}  // namespace attune::test
