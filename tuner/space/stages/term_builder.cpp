#include "space/stages/term_builder.hpp"

#include <algorithm>

namespace attune::space {
namespace {

std::int64_t word_of(const Operand& cell, NameNumbers& numbers) {
  if (cell.is_name()) return numbers.number_of(cell.name);
  return cell.kind == Operand::Kind::real ? bits_of(cell.real) : cell.integer;
}

TermKind kind_of_cell(const Operand& cell) {
  if (cell.is_name()) return TermKind::name;
  return cell.kind == Operand::Kind::real ? TermKind::real : TermKind::whole;
}

template <typename Visit>
void each_operand(const Expression::Node& node, Visit visit) {
  for (const std::uint32_t operand : node.operands) {
    if (operand != Expression::Node::none) visit(operand);
  }
  for (const std::uint32_t element : node.list) visit(element);
}

int joined(int a, int b) {
  if (a == no_variable || a == b) return b;
  return b == no_variable ? a : many_variables;
}

}  // namespace

std::vector<int> variables_of(const RuleScope& scope, std::uint32_t rule, std::uint32_t node) {
  const ParsedExpression& parsed = parsed_of((*scope.rules)[rule].expression);
  std::vector<bool> reached(node + 1);
  std::vector<int> variables;
  reached[node] = true;
  for (std::uint32_t i = node + 1; i-- > 0;) {
    if (!reached[i]) continue;
    const auto& item = parsed.nodes[i];
    each_operand(item, [&](std::uint32_t operand) { reached[operand] = true; });
    if (item.operation != NodeKind::name) continue;
    const int variable = scope.names[rule][item.index].variable;
    if (variable != no_variable) variables.push_back(variable);
  }
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  return variables;
}

TermId TermBuilder::truth(std::uint32_t rule, std::uint32_t node, bool negate) {
  const ParsedExpression& parsed = parsed_of((*scope_.rules)[rule].expression);
  if (parsed_ != &parsed) {
    parsed_ = &parsed;
    rule_ = rule;
    known_.assign(parsed.nodes.size(), {});
    below_.assign(parsed.nodes.size(), no_variable);
    for (std::uint32_t i = 0; i < parsed.nodes.size(); ++i) {
      const Node& item = parsed.nodes[i];
      if (item.operation == NodeKind::name) below_[i] = scope_.names[rule][item.index].variable;
      each_operand(item, [&](std::uint32_t operand) { below_[i] = joined(below_[i], below_[operand]); });
    }
  }
  failed_ = false;
  CheckedTerm result = truth_of(build(node));
  if (failed_) return opaque(node, negate);
  if (negate) result = negated(result);
  return result.valid == no_term ? result.value : graph_.make(TermOp::both, result.value, result.valid);
}

TermId TermBuilder::positions(int variable) {
  std::vector<std::int64_t> values(scope_.variables[static_cast<std::size_t>(variable)].width());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  return graph_.column(variable, TermKind::whole, std::move(values));
}

TermId TermBuilder::opaque(std::uint32_t node, bool negate) {
  OpaqueTerm term{rule_, node, negate, variables_of(scope_, rule_, node), {}};
  for (const int variable : term.variables) term.operands.push_back(positions(variable));
  return graph_.opaque(std::move(term));
}

TermBuilder::CheckedTerm TermBuilder::fail() {
  failed_ = true;
  return {graph_.constant(0), no_term};
}

TermBuilder::CheckedTerm TermBuilder::nowhere() { return {graph_.constant(0), graph_.constant(0)}; }

TermBuilder::CheckedTerm TermBuilder::build(std::uint32_t index) {
  if (failed_) return {graph_.constant(0), no_term};
  if (known_[index].value != no_term) return known_[index];
  const CheckedTerm result = built(index);
  if (!failed_) known_[index] = result;  // the evaluator may still handle a failed node in a parent
  return result;
}

TermBuilder::CheckedTerm TermBuilder::built(std::uint32_t index) {
  const Node& node = parsed_->nodes[index];
  if (node.operation == NodeKind::name && below_[index] >= 0) return reference(node);
  if (below_[index] == no_variable) return evaluated(index, no_variable);
  CheckedTerm result = is_strict(node.operation) ? strict(node, index) : lazy(index);
  if (!failed_ || below_[index] == many_variables) return result;
  failed_ = false;  // the evaluator tabulates a node of one variable that terms cannot express
  return evaluated(index, below_[index]);
}

TermBuilder::CheckedTerm TermBuilder::evaluated(std::uint32_t index, int variable) {
  const auto& sources = scope_.names[rule_];
  std::vector<const Value*> values;
  for (const auto& source : sources) values.push_back(source.constant);
  const std::size_t count = variable < 0 ? 1 : scope_.variables[static_cast<std::size_t>(variable)].width();
  std::vector<std::int64_t> words(count), valid(count);
  std::optional<TermKind> kind;
  for (std::size_t at = 0; at < count; ++at) {
    for (std::size_t name = 0; name < sources.size(); ++name) {
      if (variable >= 0 && sources[name].variable == variable)
        values[name] = &scope_.variables[static_cast<std::size_t>(variable)].value(at);
    }
    const Operand cell = evaluate_node(*parsed_, index, values, scope_.device);
    if (cell.is_undefined()) continue;
    if (kind && *kind != kind_of_cell(cell)) return fail();
    kind = kind_of_cell(cell);
    words[at] = word_of(cell, numbers_);
    valid[at] = 1;
  }
  if (!kind) return nowhere();
  const auto term = [&](TermKind of, std::vector<std::int64_t> column) {
    return variable < 0 ? graph_.constant(column[0], of) : graph_.column(variable, of, std::move(column));
  };
  const bool always = std::find(valid.begin(), valid.end(), 0) == valid.end();
  // This value is never used. An existing value does not widen the range.
  const auto some = words[static_cast<std::size_t>(std::find(valid.begin(), valid.end(), 1) - valid.begin())];
  for (std::size_t at = 0; at < count; ++at) words[at] = valid[at] != 0 ? words[at] : some;
  return {term(*kind, std::move(words)), always ? no_term : term(TermKind::whole, std::move(valid))};
}

TermBuilder::CheckedTerm TermBuilder::reference(const Node& node) {
  const int number = scope_.names[rule_][node.index].variable;
  const Variable& variable = scope_.variables[static_cast<std::size_t>(number)];
  std::vector<std::int64_t> values(variable.width());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = word_of(Operand::of(variable.value(i)), numbers_);
  const TermKind kind = kind_of_cell(Operand::of(variable.value(0)));
  return {graph_.column(number, kind, std::move(values)), no_term};
}

TermId TermBuilder::both(TermId a, TermId b) {
  if (a == no_term) return b;
  return b == no_term ? a : graph_.make(TermOp::both, a, b);
}

TermBuilder::CheckedTerm TermBuilder::truth_of(const CheckedTerm& a) {
  const Term& term = graph_[a.value];
  if (term.kind == TermKind::name) return nowhere();
  if (term.kind == TermKind::real) return {graph_.make(TermOp::real_is_true, a.value), a.valid};
  if (term.range.low >= 0 && term.range.high <= 1) return a;
  return {graph_.make(TermOp::is_true, a.value), a.valid};
}

TermBuilder::CheckedTerm TermBuilder::negated(const CheckedTerm& a) {
  const CheckedTerm truth = truth_of(a);
  return {graph_.make(TermOp::is_false, truth.value), truth.valid};
}

TermBuilder::CheckedTerm TermBuilder::lazy(std::uint32_t index) {
  const Node& node = parsed_->nodes[index];
  switch (node.operation) {
    case NodeKind::conditional:
      return conditional(node);
    case NodeKind::logical_or:
      return logical(node, true);
    case NodeKind::logical_and:
      return logical(node, false);
    case NodeKind::is_in:
    case NodeKind::is_not_in:
      return membership(node, node.operation == NodeKind::is_not_in, false);
    case NodeKind::python_in:
    case NodeKind::python_not_in:
      return membership(node, node.operation == NodeKind::python_not_in, true);
    default:
      return fail();
  }
}

// The right operand counts only where the left one does not decide the result. An undefined left operand makes the
// result undefined.
TermBuilder::CheckedTerm TermBuilder::logical(const Node& node, bool is_or) {
  const CheckedTerm a = truth_of(build(node.operands[0])), b = truth_of(build(node.operands[1]));
  if (failed_) return fail();
  const TermId value = graph_.make(is_or ? TermOp::either : TermOp::both, a.value, b.value);
  if (b.valid == no_term) return {value, a.valid};
  const TermId decided = is_or ? a.value : graph_.make(TermOp::is_false, a.value);
  const TermId valid = both(a.valid, graph_.make(TermOp::either, decided, b.valid));
  // Where the left operand decides, the value of the right one may be anything.
  const TermId clean =
      is_or ? graph_.make(TermOp::either, a.value, graph_.make(TermOp::both, b.value, b.valid)) : value;
  return {clean, valid};
}

TermBuilder::CheckedTerm TermBuilder::conditional(const Node& node) {
  const CheckedTerm condition = truth_of(build(node.operands[0]));
  const CheckedTerm yes = build(node.operands[1]), no = build(node.operands[2]);
  if (failed_ || graph_[yes.value].kind != graph_[no.value].kind) return fail();
  TermId valid = condition.valid;
  if (yes.valid != no_term || no.valid != no_term) {
    const TermId always = graph_.constant(1);
    valid = both(valid, graph_.make(TermOp::select, condition.value, yes.valid == no_term ? always : yes.valid,
                                    no.valid == no_term ? always : no.valid));
  }
  return {graph_.make(TermOp::select, condition.value, yes.value, no.value), valid};
}

// x in [a, b]: x == a || x == b. Python evaluates every element first.
TermBuilder::CheckedTerm TermBuilder::membership(const Node& node, bool negate, bool python) {
  const CheckedTerm wanted = build(node.operands[0]);
  CheckedTerm found{graph_.constant(0), no_term};
  TermId elements = no_term;
  for (std::size_t i = node.list.size(); i-- > 0;) {
    const CheckedTerm element = build(node.list[i]);
    if (failed_) return fail();
    if (python) elements = both(elements, element.valid);
    const CheckedTerm equal = equality(false, wanted, element, python);
    if (failed_) return fail();
    const TermId value = graph_.make(TermOp::either, equal.value, found.value);
    TermId valid = equal.valid;
    if (found.valid != no_term) {
      const TermId later = graph_.make(TermOp::either, equal.value, found.valid);
      valid = both(valid, later);
      found.value = graph_.make(TermOp::either, equal.value, graph_.make(TermOp::both, found.value, found.valid));
    } else {
      found.value = value;
    }
    found.valid = valid;
  }
  if (failed_) return fail();
  found.valid = both(both(found.valid, elements), wanted.valid);
  return negate ? negated(found) : found;
}

TermBuilder::CheckedTerm TermBuilder::strict(const Node& node, std::uint32_t) {
  const CheckedTerm a = build(node.operands[0]);
  if (failed_) return fail();
  if (node.operands[1] == Node::none) return apply_to_one(node.operation, a);
  const CheckedTerm b = build(node.operands[1]);
  if (failed_) return fail();
  return apply_to_two(node.operation, a, b);
}

}  // namespace attune::space
