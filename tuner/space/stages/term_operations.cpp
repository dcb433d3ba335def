// The strict operations of rules as terms, with the conditions under which they have a value.
#include "space/stages/term_builder.hpp"

namespace attune::space {
namespace {

// Whole numbers up to here are exact as doubles, so that they can be compared as doubles.
constexpr std::int64_t exact_real = std::int64_t{1} << 53;
// Higher powers of sums are not expanded.
constexpr std::int64_t expanded_power = 4;

}  // namespace

TermBuilder::CheckedTerm TermBuilder::apply_to_one(NodeKind operation, const CheckedTerm& a) {
  if (operation == NodeKind::logical_not) return negated(a);
  if (is_name(a)) return fail();
  const bool whole = is_whole(a);
  bool overflows = false;
  switch (operation) {
    case NodeKind::negate:
    case NodeKind::absolute: {
      const bool negates = operation == NodeKind::negate;
      const TermOp op =
          negates ? (whole ? TermOp::negate : TermOp::real_negate) : (whole ? TermOp::absolute : TermOp::real_absolute);
      range_of(op, &graph_[a.value], nullptr, nullptr, overflows);
      return overflows ? fail() : CheckedTerm{graph_.make(op, a.value), a.valid};
    }
    case NodeKind::plus:
      return a;
    case NodeKind::floor:
    case NodeKind::ceil:
    case NodeKind::truncate:
    case NodeKind::round_half_even:
      return whole ? a : fail();
    case NodeKind::to_real:
      return {as_real(a), a.valid};
    case NodeKind::is_pow2:
      return whole ? CheckedTerm{graph_.make(TermOp::is_pow2, a.value), a.valid} : nowhere();
    default:
      return fail();
  }
}

TermBuilder::CheckedTerm TermBuilder::apply_to_two(NodeKind operation, const CheckedTerm& a, const CheckedTerm& b) {
  switch (operation) {
    case NodeKind::equal:
    case NodeKind::unequal:
      return equality(operation == NodeKind::unequal, a, b, false);
    case NodeKind::python_equal:
    case NodeKind::python_unequal:
      return equality(operation == NodeKind::python_unequal, a, b, true);
    case NodeKind::less:
    case NodeKind::python_less:
      return ordering(false, a, b, operation == NodeKind::python_less);
    case NodeKind::less_equal:
    case NodeKind::python_less_equal:
      return ordering(true, a, b, operation == NodeKind::python_less_equal);
    case NodeKind::greater:
    case NodeKind::python_greater:
      return ordering(false, b, a, operation == NodeKind::python_greater);
    case NodeKind::greater_equal:
    case NodeKind::python_greater_equal:
      return ordering(true, b, a, operation == NodeKind::python_greater_equal);
    default:
      break;
  }
  if (is_name(a) || is_name(b)) return fail();
  switch (operation) {
    case NodeKind::add:
      return arithmetic(TermOp::add, TermOp::real_add, a, b);
    case NodeKind::subtract:
      return arithmetic(TermOp::subtract, TermOp::real_subtract, a, b);
    case NodeKind::multiply:
      return arithmetic(TermOp::multiply, TermOp::real_multiply, a, b);
    case NodeKind::divide:
      return divided(TermOp::divide, TermOp::real_divide, a, b);
    case NodeKind::remainder:
      return divided(TermOp::remainder, TermOp::real_remainder, a, b);
    case NodeKind::floor_divide:
      return divided(TermOp::floor_divide, TermOp::real_floor_divide, a, b);
    case NodeKind::floor_remainder:
      return divided(TermOp::floor_remainder, TermOp::real_floor_remainder, a, b);
    case NodeKind::true_divide:
      return divided(TermOp::real_divide, TermOp::real_divide, a, b);
    case NodeKind::ceil_div:
      return is_whole(a) && is_whole(b) ? divided(TermOp::ceil_divide, TermOp::real_divide, a, b) : fail();
    case NodeKind::round_up: {
      if (!is_whole(a) || !is_whole(b)) return fail();
      const CheckedTerm quotient = divided(TermOp::ceil_divide, TermOp::real_divide, a, b);
      return failed_ ? quotient : arithmetic(TermOp::multiply, TermOp::real_multiply, quotient, b);
    }
    case NodeKind::minimum:
    case NodeKind::python_minimum:
      return extreme(TermOp::minimum, TermOp::real_minimum, a, b, operation == NodeKind::python_minimum);
    case NodeKind::maximum:
    case NodeKind::python_maximum:
      return extreme(TermOp::maximum, TermOp::real_maximum, a, b, operation == NodeKind::python_maximum);
    case NodeKind::bit_and:
      return bits(TermOp::bit_and, a, b);
    case NodeKind::bit_or:
      return bits(TermOp::bit_or, a, b);
    case NodeKind::power:
    case NodeKind::python_power:
    case NodeKind::python_pow:
      return power(a, b);
    default:
      return fail();
  }
}

TermId TermBuilder::as_real(const CheckedTerm& a) {
  return is_whole(a) ? graph_.make(TermOp::to_real, a.value) : a.value;
}

TermBuilder::CheckedTerm TermBuilder::arithmetic(TermOp whole, TermOp real, const CheckedTerm& a,
                                                 const CheckedTerm& b) {
  const TermId valid = both(a.valid, b.valid);
  bool overflows = false;
  if (is_whole(a) && is_whole(b)) {
    range_of(whole, &graph_[a.value], &graph_[b.value], nullptr, overflows);
    const TermId value = graph_.make(whole, a.value, b.value);
    if (!overflows) return {value, valid};
    const TermOp fits = whole == TermOp::add        ? TermOp::add_fits
                        : whole == TermOp::subtract ? TermOp::subtract_fits
                                                    : TermOp::multiply_fits;
    return {value, both(valid, graph_.make(fits, a.value, b.value))};
  }
  const TermId x = as_real(a), y = as_real(b);
  range_of(real, &graph_[x], &graph_[y], nullptr, overflows);
  return overflows ? fail() : CheckedTerm{graph_.make(real, x, y), valid};
}

// Divides by 1 where the divisor is 0: the validity masks the result.
TermBuilder::CheckedTerm TermBuilder::divided(TermOp whole, TermOp real, const CheckedTerm& a, const CheckedTerm& b) {
  const bool in_wholes = is_whole(a) && is_whole(b) && whole != real;
  TermId valid = both(a.valid, b.valid), divisor = b.value;
  const Range& range = graph_[b.value].range;
  const bool whole_divisor = is_whole(b);
  const bool may_be_zero =
      whole_divisor ? range.low <= 0 && range.high >= 0 : range.real_low <= 0 && range.real_high >= 0;
  if (may_be_zero) {
    const TermId nonzero = graph_.make(whole_divisor ? TermOp::is_true : TermOp::real_is_true, divisor);
    if (graph_.is_constant(nonzero) && graph_[nonzero].constant == 0) return nowhere();
    valid = both(valid, nonzero);
    divisor =
        graph_.make(TermOp::select, nonzero, divisor, whole_divisor ? graph_.constant(1) : graph_.real_constant(1));
  }
  bool overflows = false;
  if (in_wholes) {
    const bool wraps = graph_[a.value].range.low == std::numeric_limits<std::int64_t>::min();
    return wraps ? fail() : CheckedTerm{graph_.make(whole, a.value, divisor), valid};
  }
  const auto is_exact = [&](TermId id) {
    const Term& term = graph_[id];
    return term.kind == TermKind::real || (term.range.low >= -exact_real && term.range.high <= exact_real);
  };
  if (!is_exact(a.value) || !is_exact(divisor)) return fail();
  const TermId x = as_real(a), y = as_real({divisor, no_term});
  range_of(real, &graph_[x], &graph_[y], nullptr, overflows);
  return overflows ? fail() : CheckedTerm{graph_.make(real, x, y), valid};
}

TermBuilder::CheckedTerm TermBuilder::bits(TermOp op, const CheckedTerm& a, const CheckedTerm& b) {
  if (!is_whole(a) || !is_whole(b)) return nowhere();
  return {graph_.make(op, a.value, b.value), both(a.valid, b.valid)};
}

// In Python the result is one of the operands, with its kind.
TermBuilder::CheckedTerm TermBuilder::extreme(TermOp whole, TermOp real, const CheckedTerm& a, const CheckedTerm& b,
                                              bool python) {
  const TermId valid = both(a.valid, b.valid);
  if (is_whole(a) && is_whole(b)) return {graph_.make(whole, a.value, b.value), valid};
  if (python && is_whole(a) != is_whole(b)) return fail();
  return {graph_.make(real, as_real(a), as_real(b)), valid};
}

TermBuilder::CheckedTerm TermBuilder::power(const CheckedTerm& a, const CheckedTerm& b) {
  const Term exponent = graph_[b.value];  // a copy: making terms moves the original
  const bool expands = is_whole(a) && is_whole(b) && exponent.op == TermOp::constant && exponent.constant >= 1 &&
                       exponent.constant <= expanded_power && b.valid == no_term;
  if (!expands) return fail();
  CheckedTerm result = a;
  for (std::int64_t i = 1; i < exponent.constant; ++i)
    result = arithmetic(TermOp::multiply, TermOp::real_multiply, result, a);
  return result;
}

TermBuilder::CheckedTerm TermBuilder::equality(bool unequal, const CheckedTerm& a, const CheckedTerm& b, bool python) {
  const TermId valid = both(a.valid, b.valid);
  if (is_name(a) != is_name(b)) return python ? CheckedTerm{graph_.constant(unequal ? 1 : 0), valid} : nowhere();
  if (is_whole(a) == is_whole(b) && graph_[a.value].kind != TermKind::real)
    return {graph_.make(unequal ? TermOp::unequal : TermOp::equal, a.value, b.value), valid};
  const CheckedTerm less = ordering(false, a, b, python);  // for its check of exactness
  if (failed_) return less;
  return {graph_.make(unequal ? TermOp::real_unequal : TermOp::real_equal, as_real(a), as_real(b)), valid};
}

TermBuilder::CheckedTerm TermBuilder::ordering(bool or_equal, const CheckedTerm& a, const CheckedTerm& b, bool python) {
  const TermId valid = both(a.valid, b.valid);
  if (is_name(a) || is_name(b)) return python && is_name(a) && is_name(b) ? fail() : nowhere();
  if (is_whole(a) && is_whole(b))
    return {graph_.make(or_equal ? TermOp::less_equal : TermOp::less, a.value, b.value), valid};
  for (const CheckedTerm* side : {&a, &b}) {
    const Range& range = graph_[side->value].range;
    if (is_whole(*side) && (range.low < -exact_real || range.high > exact_real)) return fail();
  }
  return {graph_.make(or_equal ? TermOp::real_less_equal : TermOp::real_less, as_real(a), as_real(b)), valid};
}

}  // namespace attune::space
