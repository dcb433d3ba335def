// The functions of Python's operations on operands, where they differ from those of arithmetic.inc. Integers have 64
// bits: a result that does not fit is Reason::overflow. A name never equals a number; names are ordered among
// themselves. Any thread.
#pragma once

#include <bit>
#include <cmath>
#include <optional>

#include "expression/arithmetic.hpp"

namespace attune::arithmetic {

// Correctly rounded, as in Python, even where a double cannot hold the operands.
inline double quotient(std::int64_t a, std::int64_t b) {
  constexpr std::int64_t exact = std::int64_t{1} << 53;
  const auto is_exact = [](std::int64_t x) { return x >= -exact && x <= exact; };
  if (a == 0 || (is_exact(a) && is_exact(b))) return static_cast<double>(a) / static_cast<double>(b);
  __extension__ using Wide = unsigned __int128;
  const int shift = 64 + std::countl_zero(magnitude(a));
  const Wide dividend = static_cast<Wide>(magnitude(a)) << shift;
  // At least 64 bits, of which the last stands for all that follow. That is enough to round correctly to 53 bits.
  const Wide bits = dividend / magnitude(b) | (dividend % magnitude(b) != 0 ? 1u : 0u);
  const double result = std::ldexp(static_cast<double>(bits), -shift);
  return (a < 0) == (b < 0) ? result : -result;
}

// Quotient and remainder of doubles, as CPython's float_divmod: the remainder has the sign of the divisor.
struct Division {
  double quotient, remainder;
};

inline Division floor_division(double a, double b) {
  Division result{0, std::fmod(a, b)};
  double whole = (a - result.remainder) / b;
  if (result.remainder == 0) {
    result.remainder = std::copysign(0.0, b);
  } else if ((b < 0) != (result.remainder < 0)) {
    result.remainder += b;
    whole -= 1;
  }
  if (whole == 0) {
    result.quotient = std::copysign(0.0, a / b);
  } else {
    result.quotient = std::floor(whole);
    if (whole - result.quotient > 0.5) result.quotient += 1;
  }
  return result;
}

inline std::optional<Operand> no_division(const Operand& a, const Operand& b) {
  if (a.is_name() || b.is_name()) return Operand::undefined(Reason::needs_numbers);
  if (b.as_real() == 0) return Operand::undefined(Reason::zero_divisor);
  return std::nullopt;
}

// Orders two names by their bytes, which is the order of their UTF-8 code points. `numbers` orders other operands.
inline Operand python_order(const Operand& a, const Operand& b, bool (*names)(std::string_view, std::string_view),
                            Operand (*numbers)(const Operand&, const Operand&)) {
  return a.is_name() && b.is_name() ? Operand::of(names(a.name, b.name)) : numbers(a, b);
}

inline Operand whole_of(double integral) {
  const bool fits = integral >= -0x1p63 && integral < 0x1p63;
  return fits ? Operand::of(static_cast<std::int64_t>(integral)) : Operand::undefined(Reason::overflow);
}

inline Operand true_divide(const Operand& a, const Operand& b) {
  if (const auto none = no_division(a, b)) return *none;
  if (a.is_whole() && b.is_whole()) return Operand::of(quotient(a.integer, b.integer));
  return Operand::of(a.as_real() / b.as_real());
}

inline Operand floor_divide(const Operand& a, const Operand& b) {
  if (const auto none = no_division(a, b)) return *none;
  if (!a.is_whole() || !b.is_whole()) return Operand::of(floor_division(a.as_real(), b.as_real()).quotient);
  if (a.integer == least_integer && b.integer == -1) return Operand::undefined(Reason::overflow);
  const bool rounds_down = a.integer % b.integer != 0 && (a.integer < 0) != (b.integer < 0);
  return Operand::of(a.integer / b.integer - (rounds_down ? 1 : 0));
}

inline Operand floor_remainder(const Operand& a, const Operand& b) {
  if (const auto none = no_division(a, b)) return *none;
  if (!a.is_whole() || !b.is_whole()) return Operand::of(floor_division(a.as_real(), b.as_real()).remainder);
  if (b.integer == -1) return Operand::of(std::int64_t{0});  // least_integer % -1 traps
  const std::int64_t rest = a.integer % b.integer;
  return Operand::of(rest != 0 && (rest < 0) != (b.integer < 0) ? rest + b.integer : rest);
}

inline Operand python_power(const Operand& a, const Operand& b) {
  const bool is_fraction = a.is_whole() && b.is_whole() && b.integer < 0;
  return is_fraction ? power(Operand::of(a.as_real()), Operand::of(b.as_real())) : power(a, b);
}

inline Operand python_pow(const Operand& a, const Operand& b) { return python_power(a, b); }

inline Operand python_equal(const Operand& a, const Operand& b) {
  return a.is_name() != b.is_name() ? Operand::of(false) : equal(a, b);
}

inline Operand python_unequal(const Operand& a, const Operand& b) {
  return Operand::of(python_equal(a, b).integer == 0);
}

inline Operand python_less(const Operand& a, const Operand& b) {
  return python_order(
      a, b, [](std::string_view x, std::string_view y) { return x < y; }, less);
}

inline Operand python_less_equal(const Operand& a, const Operand& b) {
  return python_order(
      a, b, [](std::string_view x, std::string_view y) { return x <= y; }, less_equal);
}

inline Operand python_greater(const Operand& a, const Operand& b) { return python_less(b, a); }

inline Operand python_greater_equal(const Operand& a, const Operand& b) { return python_less_equal(b, a); }

inline Operand python_minimum(const Operand& a, const Operand& b) {
  const Operand is_less = python_less(b, a);
  return is_less.is_undefined() ? is_less : is_less.integer != 0 ? b : a;
}

inline Operand python_maximum(const Operand& a, const Operand& b) {
  const Operand is_less = python_less(a, b);
  return is_less.is_undefined() ? is_less : is_less.integer != 0 ? b : a;
}

inline Operand truncate(const Operand& a) {
  return a.kind == Operand::Kind::real ? whole_of(std::trunc(a.real)) : plus(a);
}

inline Operand to_real(const Operand& a) {
  return a.is_name() ? Operand::undefined(Reason::needs_numbers) : Operand::of(a.as_real());
}

inline Operand round_half_even(const Operand& a) {
  if (a.kind != Operand::Kind::real) return plus(a);
  const double near = std::round(a.real);
  const bool is_tie = std::fabs(a.real - std::trunc(a.real)) == 0.5;
  return whole_of(is_tie ? 2 * std::round(a.real / 2) : near);
}

}  // namespace attune::arithmetic
