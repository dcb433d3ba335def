// Cell: a Value while an expression is evaluated, without ownership of text, so that numbers cost no allocation; or the
// reason for which there is no value. And the operations of the expression language on cells. Pure, any thread.
#pragma once

#include <cstdint>
#include <string_view>

#include "attune/value.hpp"

namespace attune {

// Why there is no value. The texts are in cell.cpp.
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

// "division by zero in `n / 0`": `subject` is the text of the operation that has no value.
std::string reason_text(Reason reason, std::string_view subject);

struct Cell {
  enum class Kind : std::uint8_t { undefined, boolean, integer, real, name };
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  Kind kind = Kind::undefined;
  Reason reason = Reason::not_bound;  // undefined
  std::uint32_t node = nowhere;       // undefined: the operation without a value, once known
  union {
    std::int64_t integer = 0;  // integers; booleans as 0 and 1
    double real;
  };
  std::string_view name;  // outlived by what it was made of

  static Cell of(bool value);
  static Cell of(std::int64_t value);
  static Cell of(std::string_view value);
  static Cell of(double value);  // infinities and NaN are Reason::overflow: no later result is made of them
  static Cell of(const Value& value);
  static Cell undefined(Reason reason);

  bool is_undefined() const { return kind == Kind::undefined; }
  bool is_name() const { return kind == Kind::name; }
  bool is_whole() const { return kind == Kind::integer || kind == Kind::boolean; }  // counts as an integer
  double as_real() const { return kind == Kind::real ? real : static_cast<double>(integer); }
  Value value() const;  // of a defined cell
};

// A boolean: is the number other than zero? Names: no_truth.
Cell truth(const Cell& cell);

// Operations of one and of two operands, all defined. Unary ones ignore the second.
using CellOperation = Cell (*)(const Cell& a, const Cell& b);

Cell cell_negate(const Cell& a, const Cell& b);
Cell cell_plus(const Cell& a, const Cell& b);
Cell cell_not(const Cell& a, const Cell& b);
Cell cell_add(const Cell& a, const Cell& b);
Cell cell_subtract(const Cell& a, const Cell& b);
Cell cell_multiply(const Cell& a, const Cell& b);
Cell cell_divide(const Cell& a, const Cell& b);
Cell cell_remainder(const Cell& a, const Cell& b);
Cell cell_power(const Cell& a, const Cell& b);
Cell cell_shift_left(const Cell& a, const Cell& b);
Cell cell_shift_right(const Cell& a, const Cell& b);
Cell cell_bit_and(const Cell& a, const Cell& b);
Cell cell_bit_or(const Cell& a, const Cell& b);
Cell cell_equal(const Cell& a, const Cell& b);
Cell cell_unequal(const Cell& a, const Cell& b);
Cell cell_less(const Cell& a, const Cell& b);
Cell cell_less_equal(const Cell& a, const Cell& b);
Cell cell_greater(const Cell& a, const Cell& b);
Cell cell_greater_equal(const Cell& a, const Cell& b);
Cell cell_min(const Cell& a, const Cell& b);
Cell cell_max(const Cell& a, const Cell& b);
Cell cell_abs(const Cell& a, const Cell& b);
Cell cell_sqrt(const Cell& a, const Cell& b);
Cell cell_floor(const Cell& a, const Cell& b);
Cell cell_ceil(const Cell& a, const Cell& b);
Cell cell_ceil_div(const Cell& a, const Cell& b);
Cell cell_round_up(const Cell& a, const Cell& b);
Cell cell_log2(const Cell& a, const Cell& b);
Cell cell_is_pow2(const Cell& a, const Cell& b);
Cell cell_sizeof(const Cell& a, const Cell& b);
Cell cell_epsilon(const Cell& a, const Cell& b);

// As Python computes, but in 64 bits: what does not fit is Reason::overflow. A name equals no number; names have an
// order among themselves. Min and max are the operand itself, with its kind.
Cell cell_true_divide(const Cell& a, const Cell& b);
Cell cell_floor_divide(const Cell& a, const Cell& b);
Cell cell_floor_remainder(const Cell& a, const Cell& b);
Cell cell_python_power(const Cell& a, const Cell& b);
Cell cell_python_equal(const Cell& a, const Cell& b);
Cell cell_python_unequal(const Cell& a, const Cell& b);
Cell cell_python_less(const Cell& a, const Cell& b);
Cell cell_python_less_equal(const Cell& a, const Cell& b);
Cell cell_python_greater(const Cell& a, const Cell& b);
Cell cell_python_greater_equal(const Cell& a, const Cell& b);
Cell cell_python_min(const Cell& a, const Cell& b);
Cell cell_python_max(const Cell& a, const Cell& b);
Cell cell_truncate(const Cell& a, const Cell& b);
Cell cell_to_real(const Cell& a, const Cell& b);
Cell cell_round_half_even(const Cell& a, const Cell& b);

}  // namespace attune
