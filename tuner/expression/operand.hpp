// Operand: a Value while an expression is evaluated, or the reason for which there is none. It does not own text, so
// that numbers cost no allocation. The language's operations on operands stand here too. Pure, any thread.
#pragma once

#include <cstdint>
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
  std::uint32_t node = nowhere;       // undefined: the operation without a value, once known
  union {
    std::int64_t integer = 0;  // integers; booleans as 0 and 1
    double real;
  };
  std::string_view name;  // a view: its source must outlive it

  static Operand of(bool value);
  static Operand of(std::int64_t value);
  static Operand of(std::string_view value);
  static Operand of(double value);  // infinities and NaN become Reason::overflow
  static Operand of(const Value& value);
  static Operand undefined(Reason reason);

  bool is_undefined() const { return kind == Kind::undefined; }
  bool is_name() const { return kind == Kind::name; }
  bool is_whole() const { return kind == Kind::integer || kind == Kind::boolean; }  // counts as an integer
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  Value value() const;  // of a defined operand
};

// Returns whether the number is other than zero. A name gives no_truth.
Operand truth(const Operand& operand);

// An operation on one or two defined operands. Unary operations ignore the second.
using CellOperation = Operand (*)(const Operand& a, const Operand& b);

Operand operand_negate(const Operand& a, const Operand& b);
Operand operand_plus(const Operand& a, const Operand& b);
Operand operand_not(const Operand& a, const Operand& b);
Operand operand_add(const Operand& a, const Operand& b);
Operand operand_subtract(const Operand& a, const Operand& b);
Operand operand_multiply(const Operand& a, const Operand& b);
Operand operand_divide(const Operand& a, const Operand& b);
Operand operand_remainder(const Operand& a, const Operand& b);
Operand operand_power(const Operand& a, const Operand& b);
Operand operand_shift_left(const Operand& a, const Operand& b);
Operand operand_shift_right(const Operand& a, const Operand& b);
Operand operand_bit_and(const Operand& a, const Operand& b);
Operand operand_bit_or(const Operand& a, const Operand& b);
Operand operand_equal(const Operand& a, const Operand& b);
Operand operand_unequal(const Operand& a, const Operand& b);
Operand operand_less(const Operand& a, const Operand& b);
Operand operand_less_equal(const Operand& a, const Operand& b);
Operand operand_greater(const Operand& a, const Operand& b);
Operand operand_greater_equal(const Operand& a, const Operand& b);
Operand operand_min(const Operand& a, const Operand& b);
Operand operand_max(const Operand& a, const Operand& b);
Operand operand_abs(const Operand& a, const Operand& b);
Operand operand_sqrt(const Operand& a, const Operand& b);
Operand operand_floor(const Operand& a, const Operand& b);
Operand operand_ceil(const Operand& a, const Operand& b);
Operand operand_ceil_div(const Operand& a, const Operand& b);
Operand operand_round_up(const Operand& a, const Operand& b);
Operand operand_log2(const Operand& a, const Operand& b);
Operand operand_is_pow2(const Operand& a, const Operand& b);
Operand operand_sizeof(const Operand& a, const Operand& b);
Operand operand_epsilon(const Operand& a, const Operand& b);

// As Python computes, but in 64 bits: what does not fit is Reason::overflow. A name equals no number; names are ordered
// among themselves. Min and max return the operand itself, with its kind.
Operand operand_true_divide(const Operand& a, const Operand& b);
Operand operand_floor_divide(const Operand& a, const Operand& b);
Operand operand_floor_remainder(const Operand& a, const Operand& b);
Operand operand_python_power(const Operand& a, const Operand& b);
Operand operand_python_equal(const Operand& a, const Operand& b);
Operand operand_python_unequal(const Operand& a, const Operand& b);
Operand operand_python_less(const Operand& a, const Operand& b);
Operand operand_python_less_equal(const Operand& a, const Operand& b);
Operand operand_python_greater(const Operand& a, const Operand& b);
Operand operand_python_greater_equal(const Operand& a, const Operand& b);
Operand operand_python_min(const Operand& a, const Operand& b);
Operand operand_python_max(const Operand& a, const Operand& b);
Operand operand_truncate(const Operand& a, const Operand& b);
Operand operand_to_real(const Operand& a, const Operand& b);
Operand operand_round_half_even(const Operand& a, const Operand& b);

}  // namespace attune
