// Arithmetic on cells: two whole operands give checked 64-bit integers, a real operand makes the operation real.
#include <bit>
#include <cmath>
#include <limits>

#include "core/cell.hpp"

namespace attune {
namespace {

constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

using WholeOperation = Cell (*)(std::int64_t a, std::int64_t b);
using RealOperation = Cell (*)(double a, double b);

Cell arithmetic(const Cell& a, const Cell& b, WholeOperation whole, RealOperation real) {
  if (a.is_name() || b.is_name()) return Cell::undefined(Reason::needs_numbers);
  if (a.is_whole() && b.is_whole()) return whole(a.integer, b.integer);
  return real(a.as_real(), b.as_real());
}

Cell whole_only(const Cell& a, const Cell& b, WholeOperation whole) {
  if (!a.is_whole() || !b.is_whole()) return Cell::undefined(Reason::needs_integers);
  return whole(a.integer, b.integer);
}

Cell checked(bool overflowed, std::int64_t result) {
  return overflowed ? Cell::undefined(Reason::overflow) : Cell::of(result);
}

Cell whole_add(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  const bool overflowed = __builtin_add_overflow(a, b, &result);
  return checked(overflowed, result);
}

Cell whole_subtract(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  const bool overflowed = __builtin_sub_overflow(a, b, &result);
  return checked(overflowed, result);
}

Cell whole_multiply(std::int64_t a, std::int64_t b) {
  std::int64_t result;
  const bool overflowed = __builtin_mul_overflow(a, b, &result);
  return checked(overflowed, result);
}

Cell whole_divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return Cell::undefined(Reason::zero_divisor);
  if (a == least && b == -1) return Cell::undefined(Reason::overflow);
  return Cell::of(a / b);
}

Cell whole_remainder(std::int64_t a, std::int64_t b) {
  if (b == 0) return Cell::undefined(Reason::zero_divisor);
  return Cell::of(b == -1 ? std::int64_t{0} : a % b);  // least % -1 traps
}

Cell whole_ceil_div(std::int64_t a, std::int64_t b) {
  const Cell quotient = whole_divide(a, b);
  if (quotient.is_undefined()) return quotient;
  const bool rounds_up = a % b != 0 && (a < 0) == (b < 0);
  return Cell::of(quotient.integer + (rounds_up ? 1 : 0));
}

Cell whole_power(std::int64_t base, std::int64_t exponent) {
  if (exponent < 0) return Cell::undefined(Reason::negative_exponent);
  std::int64_t result = 1, square = base;
  bool overflowed = false;  // of `square`: matters only if it is used again
  for (auto bits = static_cast<std::uint64_t>(exponent); bits != 0; bits >>= 1) {
    if ((bits & 1) != 0 && (overflowed || __builtin_mul_overflow(result, square, &result))) {
      return Cell::undefined(Reason::overflow);
    }
    overflowed = overflowed || __builtin_mul_overflow(square, square, &square);
  }
  return Cell::of(result);
}

Cell real_divide(double a, double b) { return b == 0 ? Cell::undefined(Reason::zero_divisor) : Cell::of(a / b); }

Cell real_ceil_div(double a, double b) {
  return b == 0 ? Cell::undefined(Reason::zero_divisor) : Cell::of(std::ceil(a / b));
}

// An integer where one can hold the result, else the result as it is.
Cell whole_if_representable(double integral) {
  // 2^63 itself is no int64; -2^63 is.
  if (integral >= -0x1p63 && integral < 0x1p63) return Cell::of(static_cast<std::int64_t>(integral));
  return Cell::of(integral);
}

}  // namespace

Cell cell_add(const Cell& a, const Cell& b) {
  return arithmetic(a, b, whole_add, [](double x, double y) { return Cell::of(x + y); });
}

Cell cell_subtract(const Cell& a, const Cell& b) {
  return arithmetic(a, b, whole_subtract, [](double x, double y) { return Cell::of(x - y); });
}

Cell cell_multiply(const Cell& a, const Cell& b) {
  return arithmetic(a, b, whole_multiply, [](double x, double y) { return Cell::of(x * y); });
}

Cell cell_divide(const Cell& a, const Cell& b) { return arithmetic(a, b, whole_divide, real_divide); }

Cell cell_remainder(const Cell& a, const Cell& b) {
  return arithmetic(a, b, whole_remainder, [](double x, double y) {
    return y == 0 ? Cell::undefined(Reason::zero_divisor) : Cell::of(std::fmod(x, y));
  });
}

Cell cell_power(const Cell& a, const Cell& b) {
  return arithmetic(a, b, whole_power, [](double x, double y) {
    if (x == 0 && y < 0) return Cell::undefined(Reason::zero_divisor);
    if (x < 0 && y != std::floor(y)) return Cell::undefined(Reason::power_domain);
    return Cell::of(std::pow(x, y));
  });
}

Cell cell_negate(const Cell& a, const Cell&) {
  // Not 0 - a, which would lose the sign of -0.0.
  if (a.kind == Cell::Kind::real) return Cell::of(-a.real);
  return cell_subtract(Cell::of(std::int64_t{0}), a);
}

Cell cell_plus(const Cell& a, const Cell&) {
  if (a.is_name()) return Cell::undefined(Reason::needs_numbers);
  return a.is_whole() ? Cell::of(a.integer) : a;
}

Cell cell_shift_left(const Cell& a, const Cell& b) {
  return whole_only(a, b, [](std::int64_t x, std::int64_t count) {
    if (count < 0 || count > 63) return Cell::undefined(Reason::shift_count);
    const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(x) << count);
    return checked(shifted >> count != x, shifted);
  });
}

Cell cell_shift_right(const Cell& a, const Cell& b) {
  return whole_only(a, b, [](std::int64_t x, std::int64_t count) {
    if (count < 0 || count > 63) return Cell::undefined(Reason::shift_count);
    return Cell::of(x >> count);
  });
}

Cell cell_bit_and(const Cell& a, const Cell& b) {
  if (a.kind == Cell::Kind::boolean && b.kind == Cell::Kind::boolean) return Cell::of((a.integer & b.integer) != 0);
  return whole_only(a, b, [](std::int64_t x, std::int64_t y) { return Cell::of(x & y); });
}

Cell cell_bit_or(const Cell& a, const Cell& b) {
  if (a.kind == Cell::Kind::boolean && b.kind == Cell::Kind::boolean) return Cell::of((a.integer | b.integer) != 0);
  return whole_only(a, b, [](std::int64_t x, std::int64_t y) { return Cell::of(x | y); });
}

Cell cell_min(const Cell& a, const Cell& b) {
  return arithmetic(
      a, b, [](std::int64_t x, std::int64_t y) { return Cell::of(y < x ? y : x); },
      [](double x, double y) { return Cell::of(y < x ? y : x); });
}

Cell cell_max(const Cell& a, const Cell& b) {
  return arithmetic(
      a, b, [](std::int64_t x, std::int64_t y) { return Cell::of(x < y ? y : x); },
      [](double x, double y) { return Cell::of(x < y ? y : x); });
}

Cell cell_abs(const Cell& a, const Cell&) {
  if (a.kind == Cell::Kind::real) return Cell::of(std::fabs(a.real));
  return a.is_whole() && a.integer >= 0 ? Cell::of(a.integer) : cell_negate(a, a);
}

Cell cell_sqrt(const Cell& a, const Cell&) {
  if (a.is_name()) return Cell::undefined(Reason::needs_numbers);
  return a.as_real() < 0 ? Cell::undefined(Reason::sqrt_domain) : Cell::of(std::sqrt(a.as_real()));
}

Cell cell_floor(const Cell& a, const Cell& b) {
  return a.kind == Cell::Kind::real ? whole_if_representable(std::floor(a.real)) : cell_plus(a, b);
}

Cell cell_ceil(const Cell& a, const Cell& b) {
  return a.kind == Cell::Kind::real ? whole_if_representable(std::ceil(a.real)) : cell_plus(a, b);
}

Cell cell_ceil_div(const Cell& a, const Cell& b) { return arithmetic(a, b, whole_ceil_div, real_ceil_div); }

Cell cell_round_up(const Cell& a, const Cell& b) {
  const Cell quotient = cell_ceil_div(a, b);
  return quotient.is_undefined() ? quotient : cell_multiply(quotient, b);
}

Cell cell_log2(const Cell& a, const Cell&) {
  if (a.is_name()) return Cell::undefined(Reason::needs_numbers);
  if (a.as_real() <= 0) return Cell::undefined(Reason::log_domain);
  const bool exact = a.is_whole() && std::has_single_bit(static_cast<std::uint64_t>(a.integer));
  if (exact) return Cell::of(std::int64_t{std::countr_zero(static_cast<std::uint64_t>(a.integer))});
  return Cell::of(std::log2(a.as_real()));
}

Cell cell_is_pow2(const Cell& a, const Cell&) {
  if (!a.is_whole()) return Cell::undefined(Reason::needs_integers);
  return Cell::of(a.integer > 0 && std::has_single_bit(static_cast<std::uint64_t>(a.integer)));
}

}  // namespace attune
