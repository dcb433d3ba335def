#include "space/stages/term.hpp"

#include <algorithm>
#include <cmath>

namespace attune::space {
namespace {

constexpr std::int64_t narrow_limit = std::int64_t{1} << 32;

bool is_narrow(const Range& range) { return range.low >= 0 && range.high < narrow_limit; }

bool is_division(TermOp op) { return op >= TermOp::divide && op <= TermOp::ceil_divide; }

Range exact_range(TermKind kind, const std::vector<std::int64_t>& values) {
  Range range;
  if (values.empty()) return range;
  if (kind != TermKind::real) {
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    range.low = *low;
    range.high = *high;
    return range;
  }
  range.real_low = range.real_high = real_of(values.front());
  for (const std::int64_t bits : values) {
    range.real_low = std::min(range.real_low, real_of(bits));
    range.real_high = std::max(range.real_high, real_of(bits));
  }
  return range;
}

bool same(const Term& a, const Term& b) {
  return a.op == b.op && a.operands == b.operands && a.constant == b.constant && a.kind == b.kind;
}

// Rules have tens of terms. In a longer rule, only this many last terms are compared for equality.
constexpr std::size_t looked_back = 64;

}  // namespace

TermId TermGraph::add(Term term) {
  if (term.op != TermOp::column && term.op != TermOp::opaque) {
    const std::size_t first = terms_.size() > looked_back ? terms_.size() - looked_back : 0;
    for (std::size_t i = terms_.size(); i-- > first;) {
      if (same(terms_[i], term)) return static_cast<TermId>(i);
    }
  }
  terms_.push_back(term);
  return static_cast<TermId>(terms_.size() - 1);
}

TermId TermGraph::constant(std::int64_t value, TermKind kind) {
  Term term;
  term.kind = kind;
  term.constant = value;
  term.range = exact_range(kind, {value});
  return add(term);
}

TermId TermGraph::real_constant(double value) { return constant(bits_of(value), TermKind::real); }

TermId TermGraph::column(int variable, TermKind kind, std::vector<std::int64_t> values) {
  Term term;
  term.op = TermOp::column;
  term.kind = kind;
  term.variable = variable;
  term.range = exact_range(kind, values);
  const bool is_one_value = std::all_of(values.begin(), values.end(), [&](auto value) { return value == values[0]; });
  if (is_one_value && !values.empty()) return constant(values[0], kind);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term& other = terms_[i];
    if (other.op == TermOp::column && other.variable == variable && other.kind == kind &&
        columns_[other.index] == values)
      return static_cast<TermId>(i);
  }
  term.index = static_cast<std::uint32_t>(columns_.size());
  columns_.push_back(std::move(values));
  return add(term);
}

TermId TermGraph::opaque(OpaqueTerm opaque) {
  Term term;
  term.op = TermOp::opaque;
  term.variable = many_variables;
  term.index = static_cast<std::uint32_t>(opaques_.size());
  term.range = {0, 1, 0, 0};
  opaques_.push_back(std::move(opaque));
  return add(term);
}

TermId TermGraph::make(TermOp op, TermId a, TermId b, TermId c) {
  Term term;
  term.op = op;
  term.operands = {a, b, c};
  bool constants = true;
  for (const TermId operand : term.operands) {
    if (operand == no_term) continue;
    const Term& from = terms_[operand];
    constants = constants && from.op == TermOp::constant;
    if (from.variable == no_variable) continue;
    const bool other = term.variable != no_variable && term.variable != from.variable;
    term.variable = other ? many_variables : from.variable;
  }
  const auto at = [&](TermId id) { return id == no_term ? nullptr : &terms_[id]; };
  const TermId of_kind = op == TermOp::select ? b : a;
  term.kind = kind_of(op, terms_[of_kind].kind);
  if (is_division(op)) term.narrow = is_narrow(terms_[a].range) && is_narrow(terms_[b].range);
  if (constants) return fold_constants(term);
  if (term.variable >= 0) return fold_column(term);
  bool overflows = false;
  term.range = range_of(op, at(a), at(b), at(c), overflows);
  return add(term);
}

TermId TermGraph::fold_constants(const Term& term) {
  std::array<std::int64_t, 3> values{};
  for (std::size_t i = 0; i < 3; ++i) {
    if (term.operands[i] != no_term) values[i] = terms_[term.operands[i]].constant;
  }
  std::int64_t result = 0;
  apply(term.op, term.narrow, &values[0], &values[1], &values[2], &result, 1);
  return constant(result, term.kind);
}

TermId TermGraph::fold_column(const Term& term) {
  std::size_t count = 0;
  for (const TermId operand : term.operands) {
    if (operand != no_term && terms_[operand].op == TermOp::column) count = column(operand).size();
  }
  std::array<std::vector<std::int64_t>, 3> spread;
  std::array<const std::int64_t*, 3> data{};
  for (std::size_t i = 0; i < 3; ++i) {
    const TermId operand = term.operands[i];
    if (operand == no_term) continue;
    if (terms_[operand].op == TermOp::constant) {
      spread[i].assign(count, terms_[operand].constant);
      data[i] = spread[i].data();
    } else {
      data[i] = column(operand).data();
    }
  }
  std::vector<std::int64_t> result(count);
  apply(term.op, term.narrow, data[0], data[1], data[2], result.data(), count);
  return column(term.variable, term.kind, std::move(result));
}

}  // namespace attune::space
