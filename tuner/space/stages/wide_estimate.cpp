#include "space/stages/wide_estimate.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "space/stages/term_builder.hpp"

namespace attune::space {
namespace {

double product_over(VariableSet set, const std::vector<double>& widths) {
  double product = 1;
  for (; set != 0; set &= set - 1) product *= widths[static_cast<std::size_t>(std::countr_zero(set))];
  return product;
}

// Different results are counted only up to this many combinations of values.
constexpr std::size_t most_listed = 512;

// The most terms of a sum or a product. The limit is needed because a shared term may occur in it very often.
constexpr std::size_t most_parts = 64;

void sort_out(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

double magnitude_of(const Term& term) {
  if (term.kind == TermKind::real) return std::numeric_limits<double>::max();
  return std::max({-static_cast<double>(term.range.low), static_cast<double>(term.range.high), 1.0});
}

}  // namespace

WideEstimate::WideEstimate(const std::vector<const Clause*>& wide, const std::vector<int>& variables,
                           std::vector<Tie> tables, const RuleScope& scope, NameNumbers& numbers)
    : tables_(std::move(tables)) {
  std::vector<VariableSet> set_of(scope.variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    set_of[static_cast<std::size_t>(variables[i])] = VariableSet{1} << i;
    widths_.push_back(static_cast<double>(scope.variables[static_cast<std::size_t>(variables[i])].width()));
  }
  TermBuilder builder(graph_, numbers, scope);
  for (const Clause* const clause : wide) roots_.push_back(builder.truth(clause->rule, clause->node, clause->negated));
  below_.resize(graph_.size());
  for (TermId id = 0; id < graph_.size(); ++id) {
    const Term& term = graph_[id];
    if (term.variable >= 0) below_[id] = set_of[static_cast<std::size_t>(term.variable)];
    for (const TermId operand : term.operands) below_[id] |= operand == no_term ? 0 : below_[operand];
    if (term.op != TermOp::opaque) continue;
    for (const TermId operand : graph_.opaque(id).operands) below_[id] |= below_[operand];
  }
  for (const TermId root : roots_) scope_ |= below_[root];
  known_.resize(graph_.size());
  for (TermId id = 0; id < graph_.size(); ++id) known_[id] = known(id);
}

double WideEstimate::states(VariableSet bound) {
  seen_.assign(graph_.size(), false);
  counted_.clear();
  bare_ = needed_ = 0;
  states_ = 1;
  numbers_needed_ = 0;
  for (const TermId root : roots_) {
    if ((below_[root] & ~bound) != 0) open(root, bound);
  }
  double states = std::min(states_ * product_over(bare_, widths_), product_over(bound & scope_, widths_));
  // If one number is compared with something later, only thresholds count: one for each combination of the rest.
  const bool is_one = numbers_needed_ + static_cast<std::size_t>(std::popcount(bare_)) == 1;
  if (is_one) states = std::min(states, 2 * product_over(scope_ & ~bound, widths_) + 1);
  return std::clamp(states * of_tables(bound), 1.0, most_states);
}

// Estimates a term when all its variables are bound; its operands' estimates exist.
WideEstimate::NumberFacts WideEstimate::known(TermId id) const {
  const Term& term = graph_[id];
  const double magnitude = magnitude_of(term), most = std::min(product_over(below_[id], widths_), 2 * magnitude);
  if (term.op == TermOp::constant) return {1, magnitude, {term.constant}};
  if (term.op == TermOp::column) {
    std::vector<std::int64_t> list = graph_.column(id);
    sort_out(list);
    return {static_cast<double>(list.size()), magnitude, std::move(list)};
  }
  const bool of_two = term.operands[1] != no_term && term.operands[2] == no_term && term.kind != TermKind::real;
  if (!of_two || term.op == TermOp::opaque) return {most, magnitude, {}};
  NumberFacts result = combined(term.op, term.narrow, known_[term.operands[0]], known_[term.operands[1]], most);
  result.magnitude = magnitude;
  return result;
}

// Combines any two values of the operands. If the operands share variables, the count is too high.
WideEstimate::NumberFacts WideEstimate::combined(TermOp op, bool narrow, const NumberFacts& a, const NumberFacts& b,
                                                 double most) const {
  NumberFacts result{std::min(a.values * b.values, most), 1, {}};
  if (a.list.empty() || b.list.empty() || a.list.size() * b.list.size() > most_listed) return result;
  std::vector<std::int64_t> x, y;
  for (const std::int64_t value : a.list) {
    x.insert(x.end(), b.list.size(), value);
    y.insert(y.end(), b.list.begin(), b.list.end());
  }
  result.list.resize(x.size());
  apply(op, narrow, x.data(), y.data(), y.data(), result.list.data(), x.size());
  sort_out(result.list);
  result.values = std::min(most, static_cast<double>(result.list.size()));
  return result;
}

void WideEstimate::needed(VariableSet members, const NumberFacts& number) {
  needed_ |= members;
  if (std::has_single_bit(members)) {
    bare_ |= members;
    return;
  }
  ++numbers_needed_;
  states_ *= std::max(1.0, number.values);
}

// Goes down from a term that is not known to known terms.
void WideEstimate::open(TermId id, VariableSet bound) {
  if (seen_[id]) return;
  seen_[id] = true;
  const Term& term = graph_[id];
  if (term.op == TermOp::add || term.op == TermOp::multiply) return open_chain(id, bound);
  const auto meet = [&](TermId operand) {
    if (operand == no_term || below_[operand] == 0) return;
    if ((below_[operand] & ~bound) != 0) return open(operand, bound);
    if (seen_[operand]) return;
    seen_[operand] = true;
    needed(below_[operand], known_[operand]);
  };
  for (const TermId operand : term.operands) meet(operand);
  if (term.op != TermOp::opaque) return;
  for (const TermId operand : graph_.opaque(id).operands) meet(operand);
}

// Counts the known part of a sum or a product as one number.
void WideEstimate::open_chain(TermId id, VariableSet bound) {
  const TermOp op = graph_[id].op;
  std::vector<TermId> parts;
  collect(op, id, parts);
  VariableSet members = 0;
  std::vector<TermId> bound_parts;
  for (const TermId part : parts) {
    if (below_[part] == 0) continue;
    if ((below_[part] & ~bound) != 0) {
      open(part, bound);
    } else {
      members |= below_[part];
      bound_parts.push_back(part);
    }
  }
  if (members == 0) return;
  // Several rules may need the same number.
  const NumberFacts& number = of_chain(op, bound_parts);
  if (std::find(counted_.begin(), counted_.end(), &number) != counted_.end()) return;
  counted_.push_back(&number);
  needed(members, number);
}

// Estimates a chain of parts by extending the estimate of the chain without its last part.
const WideEstimate::NumberFacts& WideEstimate::of_chain(TermOp op, std::span<const TermId> parts) {
  if (parts.size() == 1) return known_[parts[0]];
  const auto [place, is_new] = chains_.try_emplace({op, {parts.begin(), parts.end()}});
  if (!is_new) return place->second;
  const NumberFacts& rest = of_chain(op, parts.first(parts.size() - 1));
  const NumberFacts& last = known_[parts.back()];
  VariableSet members = 0;
  for (const TermId part : parts) members |= below_[part];
  const double magnitude = op == TermOp::add ? rest.magnitude + last.magnitude : rest.magnitude * last.magnitude;
  place->second = combined(op, false, rest, last, std::min(product_over(members, widths_), 2 * magnitude));
  place->second.magnitude = magnitude;
  return place->second;
}

void WideEstimate::collect(TermOp op, TermId id, std::vector<TermId>& parts) const {
  const Term& term = graph_[id];
  if (term.op != op || parts.size() >= most_parts) return parts.push_back(id);
  collect(op, term.operands[0], parts);
  collect(op, term.operands[1], parts);
}

// Estimates what tables under way still need, beyond the known numbers.
double WideEstimate::of_tables(VariableSet bound) const {
  double states = 1;
  for (const Tie& table : tables_) {
    const VariableSet rest = table.members & ~bound, own = table.members & bound & ~bare_;
    if (rest == 0 || (table.members & bound) == 0) {
      if (rest == 0 && (table.members & ~needed_) == 0) states *= table.density;
      continue;
    }
    const double sets = product_over(rest, widths_);  // of 2^sets continuations
    states *= std::min(product_over(own, widths_),
                       sets < 60 ? std::ldexp(1.0, static_cast<int>(sets)) : std::numeric_limits<double>::max());
  }
  return std::min(states, most_states);
}

}  // namespace attune::space
