// The range of an operation's results from the ranges of its operands. It shows overflow and serves pruning.
#include <algorithm>
#include <cmath>

#include "space/stages/term.hpp"

namespace attune::space {
namespace {

__extension__ using Wide = __int128;
constexpr Wide most = std::numeric_limits<std::int64_t>::max(), least = std::numeric_limits<std::int64_t>::min();
// Beyond this range, real computations are left to the expression evaluator, which detects infinities.
constexpr double real_limit = 1e300;

Range whole(Wide low, Wide high, bool& overflows) {
  overflows = overflows || low < least || high > most;
  if (low < least || high > most) return {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most), 0, 0};
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), 0, 0};
}

Range real(double low, double high, bool& overflows) {
  overflows = overflows || !(low >= -real_limit) || !(high <= real_limit);
  return {0, 0, low, high};
}

Range of_products(const Range& a, const Range& b, bool& overflows) {
  const Wide corners[] = {Wide(a.low) * b.low, Wide(a.low) * b.high, Wide(a.high) * b.low, Wide(a.high) * b.high};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return whole(*low, *high, overflows);
}

// A divisor of at least 1 in magnitude gives at most the dividend's magnitude. ceil and floor add at most one step.
Range of_quotients(TermOp op, const Range& a, const Range& b, bool& overflows) {
  if (b.low > 0 && a.low >= 0) {
    const Wide up = op == TermOp::ceil_divide ? b.low - 1 : 0, up_high = op == TermOp::ceil_divide ? b.high - 1 : 0;
    return whole((Wide(a.low) + up_high) / b.high, (Wide(a.high) + up) / b.low, overflows);
  }
  const Wide magnitude =
      std::max(Wide(a.high) < 0 ? -Wide(a.high) : Wide(a.high), Wide(a.low) < 0 ? -Wide(a.low) : Wide(a.low));
  return whole(-magnitude, magnitude, overflows);
}

Range of_rests(TermOp op, const Range& a, const Range& b, bool& overflows) {
  const Wide divisor = std::max(b.high < 0 ? -Wide(b.high) : Wide(b.high), b.low < 0 ? -Wide(b.low) : Wide(b.low));
  const Wide bound = divisor > 0 ? divisor - 1 : 0;
  if (op == TermOp::floor_remainder) return whole(b.low < 0 ? -bound : 0, b.high > 0 ? bound : 0, overflows);
  return whole(a.low < 0 ? -std::min(bound, -Wide(a.low)) : 0, a.high > 0 ? std::min(bound, Wide(a.high)) : 0,
               overflows);
}

// Returns all ones up to the highest bit of either: the bound of bit operations on numbers >= 0.
std::int64_t filled(std::int64_t a, std::int64_t b) {
  const auto bits = static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b);
  return bits == 0 ? 0 : static_cast<std::int64_t>(~std::uint64_t{0} >> std::countl_zero(bits));
}

Range of_bits(TermOp op, const Range& a, const Range& b) {
  if (a.low < 0 || b.low < 0) return {static_cast<std::int64_t>(least), static_cast<std::int64_t>(most), 0, 0};
  return {0, op == TermOp::bit_and ? std::min(a.high, b.high) : filled(a.high, b.high), 0, 0};
}

Range of_magnitudes(const Range& a, bool& overflows) {
  if (a.low >= 0) return a;
  return whole(a.high < 0 ? -Wide(a.high) : 0, std::max(-Wide(a.low), Wide(a.high)), overflows);
}

Range of_real_corners(const Range& a, const Range& b, bool divide, bool& overflows) {
  const auto value = [divide](double x, double y) { return divide ? x / y : x * y; };
  if (divide && b.real_low <= 0 && b.real_high >= 0) {
    overflows = true;  // a tiny divisor, or zero
    return {};
  }
  const double corners[] = {value(a.real_low, b.real_low), value(a.real_low, b.real_high),
                            value(a.real_high, b.real_low), value(a.real_high, b.real_high)};
  const auto [low, high] = std::minmax_element(std::begin(corners), std::end(corners));
  return real(*low, *high, overflows);
}

Range of_reals(TermOp op, const Range& a, const Range* b, bool& overflows) {
  const double magnitude = std::max(std::fabs(a.real_low), std::fabs(a.real_high));
  const double other = b == nullptr ? 0 : std::max(std::fabs(b->real_low), std::fabs(b->real_high));
  switch (op) {
    case TermOp::to_real:
      return {0, 0, static_cast<double>(a.low), static_cast<double>(a.high)};
    case TermOp::real_add:
      return real(a.real_low + b->real_low, a.real_high + b->real_high, overflows);
    case TermOp::real_subtract:
      return real(a.real_low - b->real_high, a.real_high - b->real_low, overflows);
    case TermOp::real_multiply:
      return of_real_corners(a, *b, false, overflows);
    case TermOp::real_divide:
      return of_real_corners(a, *b, true, overflows);
    case TermOp::real_floor_divide: {
      const Range quotient = of_real_corners(a, *b, true, overflows);
      return real(quotient.real_low - 1, quotient.real_high + 1, overflows);
    }
    case TermOp::real_remainder:
    case TermOp::real_floor_remainder:
      return real(-std::max(magnitude, other), std::max(magnitude, other), overflows);
    case TermOp::real_minimum:
      return real(std::min(a.real_low, b->real_low), std::min(a.real_high, b->real_high), overflows);
    case TermOp::real_maximum:
      return real(std::max(a.real_low, b->real_low), std::max(a.real_high, b->real_high), overflows);
    case TermOp::real_negate:
      return real(-a.real_high, -a.real_low, overflows);
    case TermOp::real_absolute:
      return real(0, magnitude, overflows);
    default:
      return {0, 1, 0, 0};  // a comparison
  }
}

}  // namespace

TermKind kind_of(TermOp op, TermKind selected) {
  if (op == TermOp::select) return selected;
  const bool gives_real = op >= TermOp::to_real && op <= TermOp::real_absolute;
  return gives_real ? TermKind::real : TermKind::whole;
}

Range range_of(TermOp op, const Term* a, const Term* b, const Term* c, bool& overflows) {
  const Range x = a->range, y = b == nullptr ? Range{} : b->range;
  switch (op) {
    case TermOp::add:
      return whole(Wide(x.low) + y.low, Wide(x.high) + y.high, overflows);
    case TermOp::subtract:
      return whole(Wide(x.low) - y.high, Wide(x.high) - y.low, overflows);
    case TermOp::multiply:
      return of_products(x, y, overflows);
    case TermOp::divide:
    case TermOp::floor_divide:
    case TermOp::ceil_divide:
      return of_quotients(op, x, y, overflows);
    case TermOp::remainder:
    case TermOp::floor_remainder:
      return of_rests(op, x, y, overflows);
    case TermOp::minimum:
      return {std::min(x.low, y.low), std::min(x.high, y.high), 0, 0};
    case TermOp::maximum:
      return {std::max(x.low, y.low), std::max(x.high, y.high), 0, 0};
    case TermOp::bit_and:
    case TermOp::bit_or:
      return of_bits(op, x, y);
    case TermOp::negate:
      return whole(-Wide(x.high), -Wide(x.low), overflows);
    case TermOp::absolute:
      return of_magnitudes(x, overflows);
    case TermOp::select:
      return {std::min(y.low, c->range.low), std::max(y.high, c->range.high), std::min(y.real_low, c->range.real_low),
              std::max(y.real_high, c->range.real_high)};
    default:
      if (op >= TermOp::to_real) return of_reals(op, x, &y, overflows);
      return {0, 1, 0, 0};  // a truth value
  }
}

}  // namespace attune::space
