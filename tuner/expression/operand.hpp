// Operand: the form of a Value while an expression is evaluated, or the reason for which there is no value. It does not
// own text, so that numbers cost no allocation. Pure, any thread.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "attune/value.hpp"

namespace attune {

// Why there is no value. The texts are in operand.cpp.
enum class Reason : std::uint8_t {
  not_bound,
  no_device,
  overflow,
  zero_divisor,
  negative_exponent,
  shift_count,
  log_domain,
  sqrt_domain,
  power_domain,
  needs_numbers,
  needs_integers,
  needs_type,
  compares_kinds,
  orders_names,
  no_truth,
  index_range,
};

// Returns "division by zero in `n / 0`": `subject` is the text of the operation without a value.
std::string reason_text(Reason reason, std::string_view subject);

struct Operand {
  enum class Kind : std::uint8_t { undefined, boolean, integer, real, name };
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  Kind kind = Kind::undefined;
  Reason reason = Reason::not_bound;  // undefined
  std::uint32_t node = nowhere;       // undefined: the operation that has no value, once known
  union {
    std::int64_t integer = 0;  // integers; booleans as 0 and 1
    double real;
  };
  std::string_view name;  // a view: its source must outlive it

  static constexpr Operand of(bool value) {
    Operand operand;
    operand.kind = Kind::boolean;
    operand.integer = value ? 1 : 0;
    return operand;
  }
  static constexpr Operand of(std::int64_t value) {
    Operand operand;
    operand.kind = Kind::integer;
    operand.integer = value;
    return operand;
  }
  // Infinities and NaN become Reason::overflow.
  static constexpr Operand of(double value) {
    constexpr double most = std::numeric_limits<double>::max();
    if (!(value >= -most && value <= most)) return undefined(Reason::overflow);
    Operand operand;
    operand.kind = Kind::real;
    operand.real = value;
    return operand;
  }
  static Operand of(std::string_view value);
  static Operand of(const Value& value);
  static constexpr Operand undefined(Reason reason) {
    Operand operand;
    operand.reason = reason;
    return operand;
  }

  bool is_undefined() const { return kind == Kind::undefined; }
  bool is_name() const { return kind == Kind::name; }
  bool is_whole() const { return kind == Kind::integer || kind == Kind::boolean; }  // counts as an integer
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  Value value() const;  // of a defined operand
};

}  // namespace attune
