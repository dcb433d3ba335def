// One loop per operation on terms. The loops have no branches that depend on each other, so the compiler can vectorize.
#include <bit>
#include <cmath>

#include "space/stages/term.hpp"

namespace attune::space {
namespace {

using Word = std::int64_t;

template <typename Function>
void each(const Word* a, const Word* b, Word* out, std::size_t count, Function function) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(a[i], b[i]);
}

template <typename Function>
void each(const Word* a, Word* out, std::size_t count, Function function) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(a[i]);
}

template <typename Function>
void each_real(const Word* a, const Word* b, Word* out, std::size_t count, Function function) {
  for (std::size_t i = 0; i < count; ++i) out[i] = bits_of(function(real_of(a[i]), real_of(b[i])));
}

template <typename Function>
void each_real_test(const Word* a, const Word* b, Word* out, std::size_t count, Function function) {
  for (std::size_t i = 0; i < count; ++i) out[i] = function(real_of(a[i]), real_of(b[i])) ? 1 : 0;
}

// Division by zero gives 0, and so does the one quotient that overflows; a validity term masks the result.
Word quotient(Word a, Word b) {
  return b == 0 || b == -1 ? static_cast<Word>(0 - static_cast<std::uint64_t>(b == 0 ? 0 : a)) : a / b;
}
Word rest(Word a, Word b) { return b == 0 || b == -1 ? 0 : a % b; }

Word floor_quotient(Word a, Word b) {
  const Word q = quotient(a, b), r = rest(a, b);
  return r != 0 && (r < 0) != (b < 0) ? q - 1 : q;
}

Word floor_rest(Word a, Word b) {
  const Word r = rest(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

Word ceil_quotient(Word a, Word b) {
  const Word q = quotient(a, b), r = rest(a, b);
  return r != 0 && (r < 0) == (b < 0) ? q + 1 : q;
}

Word narrow_quotient(Word a, Word b) {
  const auto divisor = static_cast<std::uint32_t>(b);
  return divisor == 0 ? 0 : static_cast<std::uint32_t>(a) / divisor;
}

Word narrow_rest(Word a, Word b) {
  const auto divisor = static_cast<std::uint32_t>(b);
  return divisor == 0 ? 0 : static_cast<std::uint32_t>(a) % divisor;
}

// Python's float % and //: the remainder has the divisor's sign, even if it is zero.
double python_rest(double a, double b) {
  if (b == 0) return 0;
  const double r = std::fmod(a, b);
  if (r == 0) return std::copysign(0.0, b);
  return (r < 0) != (b < 0) ? r + b : r;
}

double python_quotient(double a, double b) {
  if (b == 0) return 0;
  double r = std::fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (r < 0) != (b < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  const double floored = std::floor(q);
  return q - floored > 0.5 ? floored + 1 : floored;
}

void apply_real(TermOp op, const Word* a, const Word* b, Word* out, std::size_t n) {
  switch (op) {
    case TermOp::to_real:
      return each(a, out, n, [](Word x) { return bits_of(static_cast<double>(x)); });
    case TermOp::real_add:
      return each_real(a, b, out, n, [](double x, double y) { return x + y; });
    case TermOp::real_subtract:
      return each_real(a, b, out, n, [](double x, double y) { return x - y; });
    case TermOp::real_multiply:
      return each_real(a, b, out, n, [](double x, double y) { return x * y; });
    case TermOp::real_divide:
      return each_real(a, b, out, n, [](double x, double y) { return y == 0 ? 0 : x / y; });
    case TermOp::real_remainder:
      return each_real(a, b, out, n, [](double x, double y) { return y == 0 ? 0 : std::fmod(x, y); });
    case TermOp::real_floor_divide:
      return each_real(a, b, out, n, python_quotient);
    case TermOp::real_floor_remainder:
      return each_real(a, b, out, n, python_rest);
    case TermOp::real_minimum:
      return each_real(a, b, out, n, [](double x, double y) { return y < x ? y : x; });
    case TermOp::real_maximum:
      return each_real(a, b, out, n, [](double x, double y) { return x < y ? y : x; });
    case TermOp::real_negate:
      return each(a, out, n, [](Word x) { return bits_of(-real_of(x)); });
    case TermOp::real_absolute:
      return each(a, out, n, [](Word x) { return bits_of(std::fabs(real_of(x))); });
    case TermOp::real_equal:
      return each_real_test(a, b, out, n, [](double x, double y) { return x == y; });
    case TermOp::real_unequal:
      return each_real_test(a, b, out, n, [](double x, double y) { return x != y; });
    case TermOp::real_less:
      return each_real_test(a, b, out, n, [](double x, double y) { return x < y; });
    case TermOp::real_less_equal:
      return each_real_test(a, b, out, n, [](double x, double y) { return x <= y; });
    default:
      return each(a, out, n, [](Word x) -> Word { return real_of(x) != 0; });
  }
}

// Divides in 32 bits where the operands allow it, because 64-bit division is slow.
void apply_division(TermOp op, bool narrow, const Word* a, const Word* b, Word* out, std::size_t n) {
  if (narrow) {
    const bool is_rest = op == TermOp::remainder || op == TermOp::floor_remainder;
    return is_rest ? each(a, b, out, n, narrow_rest) : each(a, b, out, n, [op](Word x, Word y) {
      const Word q = narrow_quotient(x, y);
      return op == TermOp::ceil_divide && q * y != x && y != 0 ? q + 1 : q;
    });
  }
  switch (op) {
    case TermOp::divide:
      return each(a, b, out, n, quotient);
    case TermOp::remainder:
      return each(a, b, out, n, rest);
    case TermOp::floor_divide:
      return each(a, b, out, n, floor_quotient);
    case TermOp::floor_remainder:
      return each(a, b, out, n, floor_rest);
    default:
      return each(a, b, out, n, ceil_quotient);
  }
}

Word fits(bool overflowed) { return overflowed ? 0 : 1; }

}  // namespace

void apply(TermOp op, bool narrow, const Word* a, const Word* b, const Word* c, Word* out, std::size_t n) {
  switch (op) {
    case TermOp::constant:
    case TermOp::column:
    case TermOp::opaque:
      return;
    // Wraps on overflow; a validity then masks the result.
    case TermOp::add:
      return each(a, b, out, n, [](Word x, Word y) {
        return static_cast<Word>(static_cast<std::uint64_t>(x) + static_cast<std::uint64_t>(y));
      });
    case TermOp::subtract:
      return each(a, b, out, n, [](Word x, Word y) {
        return static_cast<Word>(static_cast<std::uint64_t>(x) - static_cast<std::uint64_t>(y));
      });
    case TermOp::multiply:
      return each(a, b, out, n, [](Word x, Word y) {
        return static_cast<Word>(static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y));
      });
    case TermOp::divide:
    case TermOp::remainder:
    case TermOp::floor_divide:
    case TermOp::floor_remainder:
    case TermOp::ceil_divide:
      return apply_division(op, narrow, a, b, out, n);
    case TermOp::minimum:
      return each(a, b, out, n, [](Word x, Word y) { return y < x ? y : x; });
    case TermOp::maximum:
      return each(a, b, out, n, [](Word x, Word y) { return x < y ? y : x; });
    case TermOp::bit_and:
    case TermOp::both:
      return each(a, b, out, n, [](Word x, Word y) { return x & y; });
    case TermOp::bit_or:
    case TermOp::either:
      return each(a, b, out, n, [](Word x, Word y) { return x | y; });
    case TermOp::negate:
      return each(a, out, n, [](Word x) { return static_cast<Word>(0 - static_cast<std::uint64_t>(x)); });
    case TermOp::absolute:
      return each(a, out, n, [](Word x) { return x < 0 ? static_cast<Word>(0 - static_cast<std::uint64_t>(x)) : x; });
    case TermOp::equal:
      return each(a, b, out, n, [](Word x, Word y) -> Word { return x == y; });
    case TermOp::unequal:
      return each(a, b, out, n, [](Word x, Word y) -> Word { return x != y; });
    case TermOp::less:
      return each(a, b, out, n, [](Word x, Word y) -> Word { return x < y; });
    case TermOp::less_equal:
      return each(a, b, out, n, [](Word x, Word y) -> Word { return x <= y; });
    case TermOp::is_true:
      return each(a, out, n, [](Word x) -> Word { return x != 0; });
    case TermOp::is_false:
      return each(a, out, n, [](Word x) -> Word { return x == 0; });
    case TermOp::is_pow2:
      return each(a, out, n,
                  [](Word x) -> Word { return x > 0 && std::has_single_bit(static_cast<std::uint64_t>(x)); });
    case TermOp::select:
      for (std::size_t i = 0; i < n; ++i) out[i] = a[i] != 0 ? b[i] : c[i];
      return;
    case TermOp::multiply_fits:
      return each(a, b, out, n, [](Word x, Word y) {
        Word z;
        return fits(__builtin_mul_overflow(x, y, &z));
      });
    case TermOp::add_fits:
      return each(a, b, out, n, [](Word x, Word y) {
        Word z;
        return fits(__builtin_add_overflow(x, y, &z));
      });
    case TermOp::subtract_fits:
      return each(a, b, out, n, [](Word x, Word y) {
        Word z;
        return fits(__builtin_sub_overflow(x, y, &z));
      });
    default:
      return apply_real(op, a, b, out, n);
  }
}

}  // namespace attune::space
