// Value: a value of a parameter, a problem entry or an expression. It is a boolean, a 64-bit signed integer, a double
// or a name. Names are C++ constants ("Order::rows") and type names ("float"). A plain value; any thread may read it.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace attune {

class Value {
 public:
  enum class Kind { boolean, integer, real, name };

  Value() : data_(std::int64_t{0}) {}
  Value(bool value) : data_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : data_(static_cast<std::int64_t>(value)) {}
  Value(double value) : data_(value) {}
  Value(std::string name) : data_(std::move(name)) {}
  Value(std::string_view name) : data_(std::string(name)) {}
  Value(const char* name) : data_(std::string(name)) {}

  Kind kind() const noexcept { return static_cast<Kind>(data_.index()); }
  bool is_boolean() const noexcept { return kind() == Kind::boolean; }
  bool is_integer() const noexcept { return kind() == Kind::integer; }
  bool is_real() const noexcept { return kind() == Kind::real; }
  bool is_name() const noexcept { return kind() == Kind::name; }

  // Throws std::bad_variant_access when the value is of another kind.
  bool boolean() const { return std::get<bool>(data_); }
  std::int64_t integer() const { return std::get<std::int64_t>(data_); }
  double real() const { return std::get<double>(data_); }
  const std::string& name() const { return std::get<std::string>(data_); }

  // Returns the text used in entries, options, keys and on the command line. Integers are decimal, booleans `true` /
  // `false`, names verbatim. Reals have the shortest form that reads back equal, always with a '.' or an exponent.
  // Equal texts of one kind are equal values.
  std::string text() const;

  // Kinds are never mixed: Value(1) != Value(1.0). The order is by kind, then by value.
  friend bool operator==(const Value&, const Value&) = default;
  friend std::partial_ordering operator<=>(const Value&, const Value&) = default;

 private:
  std::variant<bool, std::int64_t, double, std::string> data_;  // order as in Kind
};

}  // namespace attune
