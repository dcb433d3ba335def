// Arithmetic on operands: two whole operands give checked 64-bit integers, a real operand makes the operation real.
#include <bit>
#include <cmath>
#include <limits>

#include "expression/operations.hpp"

namespace attune {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

using WholeOperation = Operand (*)(std::int64_t a, std::int64_t b);
using RealOperation = Operand (*)(double a, double b);

Operand arithmetic(const Operand& a, const Operand& b, WholeOperation whole, RealOperation real) {
  if (a.is_name() || b.is_name()) return Operand::undefined(Reason::needs_numbers);
  if (a.is_whole() && b.is_whole()) return whole(a.integer, b.integer);
  return real(a.as_real(), b.as_real());
}

Operand whole_only(const Operand& a, const Operand& b, WholeOperation whole) {
  if (!a.is_whole() || !b.is_whole()) return Operand::undefined(Reason::needs_integers);
  return whole(a.integer, b.integer);
}

Operand checked(bool overflowed, std::int64_t result) {
  return overflowed ? Operand::undefined(Reason::overflow) : Operand::of(result);
}

Operand whole_add(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  const bool overflowed = __builtin_add_overflow(a, b, &result);
  return checked(overflowed, result);
}

Operand whole_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  const bool overflowed = __builtin_sub_overflow(a, b, &result);
  return checked(overflowed, result);
}

Operand whole_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  const bool overflowed = __builtin_mul_overflow(a, b, &result);
  return checked(overflowed, result);
}

Operand whole_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return Operand::undefined(Reason::zero_divisor);
  if (a == least && b == -1) return Operand::undefined(Reason::overflow);
  return Operand::of(a / b);
}

Operand whole_remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return Operand::undefined(Reason::zero_divisor);
  return Operand::of(b == -1 ? std::int64_t{0} : a % b);  // least % -1 traps
}

Operand whole_ceil_div(std::int64_t a, std::int64_t b) {
  const Operand quotient = whole_divide(a, b);
  if (quotient.is_undefined()) return quotient;
  const bool rounds_up = a % b != 0 && (a < 0) == (b < 0);
  return Operand::of(quotient.integer + (rounds_up ? 1 : 0));
}

Operand whole_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return Operand::undefined(Reason::negative_exponent);
  std::int64_t result = 1, square = base;
  bool overflowed = false;  // of `square`: matters only if it is used again
  for (auto bits = static_cast<std::uint64_t>(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0 && (overflowed || __builtin_mul_overflow(result, square, &result))) {
      return Operand::undefined(Reason::overflow);
    }
    overflowed = overflowed || __builtin_mul_overflow(square, square, &square);
  }
  return Operand::of(result);
}

Operand real_divide(double a, double b) {
  return b == 0 ? Operand::undefined(Reason::zero_divisor) : Operand::of(a / b);
}

Operand real_ceil_div(double a, double b) {
  return b == 0 ? Operand::undefined(Reason::zero_divisor) : Operand::of(std::ceil(a / b));
}

// Returns an integer where int64 can hold the result, else the result as it is.
Operand whole_if_representable(double integral) {
  // 2^63 itself is no int64; -2^63 is.
  if (integral >= -0x1p63 && integral < 0x1p63) return Operand::of(static_cast<std::int64_t>(integral));
  return Operand::of(integral);
}

}  // namespace

Operand operand_add(const Operand& a, const Operand& b) {
  return arithmetic(a, b, whole_add, [](double x, double y) { return Operand::of(x + y); });
}

Operand operand_subtract(const Operand& a, const Operand& b) {
  return arithmetic(a, b, whole_subtract, [](double x, double y) { return Operand::of(x - y); });
}

Operand operand_multiply(const Operand& a, const Operand& b) {
  return arithmetic(a, b, whole_multiply, [](double x, double y) { return Operand::of(x * y); });
}

Operand operand_divide(const Operand& a, const Operand& b) { return arithmetic(a, b, whole_divide, real_divide); }

Operand operand_remainder(const Operand& a, const Operand& b) {
  return arithmetic(a, b, whole_remainder, [](double x, double y) {
    return y == 0 ? Operand::undefined(Reason::zero_divisor) : Operand::of(std::fmod(x, y));
  });
}

Operand operand_power(const Operand& a, const Operand& b) {
  return arithmetic(a, b, whole_power, [](double x, double y) {
    if (x == 0 && y < 0) return Operand::undefined(Reason::zero_divisor);
    if (x < 0 && y != std::floor(y)) return Operand::undefined(Reason::power_domain);
    return Operand::of(std::pow(x, y));
  });
}

Operand operand_negate(const Operand& a, const Operand&) {
  // Not 0 - a, which would lose the sign of -0.0.
  if (a.kind == Operand::Kind::real) return Operand::of(-a.real);
  return operand_subtract(Operand::of(std::int64_t{0}), a);
}

Operand operand_plus(const Operand& a, const Operand&) {
  if (a.is_name()) return Operand::undefined(Reason::needs_numbers);
  return a.is_whole() ? Operand::of(a.integer) : a;
}

Operand operand_shift_left(const Operand& a, const Operand& b) {
  return whole_only(a, b, [](std::int64_t x, std::int64_t count) {
    if (count < 0 || count > 63) return Operand::undefined(Reason::shift_count);
    const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << count);
    return checked(shifted >> count != x, shifted);
  });
}

Operand operand_shift_right(const Operand& a, const Operand& b) {
  return whole_only(a, b, [](std::int64_t x, std::int64_t count) {
    if (count < 0 || count > 63) return Operand::undefined(Reason::shift_count);
    return Operand::of(x >> count);
  });
}

Operand operand_bit_and(const Operand& a, const Operand& b) {
  if (a.kind == Operand::Kind::boolean && b.kind == Operand::Kind::boolean)
    return Operand::of((a.integer & b.integer) != 0);
  return whole_only(a, b, [](std::int64_t x, std::int64_t y) { return Operand::of(x & y); });
}

Operand operand_bit_or(const Operand& a, const Operand& b) {
  if (a.kind == Operand::Kind::boolean && b.kind == Operand::Kind::boolean)
    return Operand::of((a.integer | b.integer) != 0);
  return whole_only(a, b, [](std::int64_t x, std::int64_t y) { return Operand::of(x | y); });
}

Operand operand_minimum(const Operand& a, const Operand& b) {
  return arithmetic(
      a, b, [](std::int64_t x, std::int64_t y) { return Operand::of(y < x ? y : x); },
      [](double x, double y) { return Operand::of(y < x ? y : x); });
}

Operand operand_maximum(const Operand& a, const Operand& b) {
  return arithmetic(
      a, b, [](std::int64_t x, std::int64_t y) { return Operand::of(x < y ? y : x); },
      [](double x, double y) { return Operand::of(x < y ? y : x); });
}

Operand operand_absolute(const Operand& a, const Operand&) {
  if (a.kind == Operand::Kind::real) return Operand::of(std::fabs(a.real));
  return a.is_whole() && a.integer >= 0 ? Operand::of(a.integer) : operand_negate(a, a);
}

Operand operand_square_root(const Operand& a, const Operand&) {
  if (a.is_name()) return Operand::undefined(Reason::needs_numbers);
  return a.as_real() < 0 ? Operand::undefined(Reason::sqrt_domain) : Operand::of(std::sqrt(a.as_real()));
}

Operand operand_floor(const Operand& a, const Operand& b) {
  return a.kind == Operand::Kind::real ? whole_if_representable(std::floor(a.real)) : operand_plus(a, b);
}

Operand operand_ceil(const Operand& a, const Operand& b) {
  return a.kind == Operand::Kind::real ? whole_if_representable(std::ceil(a.real)) : operand_plus(a, b);
}

Operand operand_ceil_div(const Operand& a, const Operand& b) { return arithmetic(a, b, whole_ceil_div, real_ceil_div); }

Operand operand_round_up(const Operand& a, const Operand& b) {
  const Operand quotient = operand_ceil_div(a, b);
  return quotient.is_undefined() ? quotient : operand_multiply(quotient, b);
}

Operand operand_log2(const Operand& a, const Operand&) {
  if (a.is_name()) return Operand::undefined(Reason::needs_numbers);
  if (a.as_real() <= 0) return Operand::undefined(Reason::log_domain);
  const bool exact = a.is_whole() && std::has_single_bit(static_cast<std::uint64_t>(a.integer));
  if (exact) return Operand::of(std::int64_t{std::countr_zero(static_cast<std::uint64_t>(a.integer))});
  return Operand::of(std::log2(a.as_real()));
}

Operand operand_is_pow2(const Operand& a, const Operand&) {
  if (!a.is_whole()) return Operand::undefined(Reason::needs_integers);
  return Operand::of(a.integer > 0 && std::has_single_bit(static_cast<std::uint64_t>(a.integer)));
}

}  // namespace attune
