#include "space/stages/term_program.hpp"

#include <algorithm>

#include "expression/arithmetic.hpp"
#include "expression/node.hpp"

namespace attune::space {

TermProgram::TermProgram(const TermGraph& graph, const RuleScope& scope, std::span<const TermId> wanted,
                         std::span<const TermId> given, std::size_t capacity)
    : graph_(graph), scope_(scope), capacity_(capacity), place_(graph.size(), nowhere) {
  std::vector<bool> needed(graph.size()), is_given(graph.size());
  for (const TermId id : given) is_given[id] = true;
  for (const TermId id : wanted) needed[id] = true;
  std::uint32_t places = 0;
  // Operands come before their operations: one pass from the end finds all that is needed.
  for (TermId id = static_cast<TermId>(graph.size()); id-- > 0;) {
    if (needed[id] && !is_given[id]) need(id, needed);
  }
  for (TermId id = 0; id < graph.size(); ++id) {
    if (!needed[id]) continue;
    place_[id] = places++;
    const Term& term = graph[id];
    if (is_given[id] || term.op == TermOp::constant || term.op == TermOp::column) continue;
    Instruction step{id, term.op, term.narrow, {0, 0, 0}, place_[id]};
    for (std::size_t i = 0; i < 3; ++i) {
      if (term.operands[i] != no_term) step.from[i] = place_[term.operands[i]];
    }
    steps_.push_back(step);
  }
  words_ = std::make_unique_for_overwrite<std::int64_t[]>(places * capacity);
  for (TermId id = 0; id < graph.size(); ++id) {
    if (needed[id] && graph.is_constant(id)) std::fill_n(at(place_[id]), capacity, graph[id].constant);
  }
}

void TermProgram::need(TermId id, std::vector<bool>& needed) const {
  const Term& term = graph_[id];
  if (term.op == TermOp::opaque) {
    for (const TermId operand : graph_.opaque(id).operands) needed[operand] = true;
  }
  for (const TermId operand : term.operands) {
    if (operand != no_term) needed[operand] = true;
  }
}

void TermProgram::run(std::size_t count) {
  for (const Instruction& step : steps_) {
    if (step.op == TermOp::opaque) {
      run_opaque(step.term, count);
    } else {
      apply(step.op, step.narrow, at(step.from[0]), at(step.from[1]), at(step.from[2]), at(step.to), count);
    }
  }
}

void TermProgram::run_opaque(TermId id, std::size_t count) {
  const OpaqueTerm& opaque = graph_.opaque(id);
  const ParsedExpression& parsed = parsed_of((*scope_.rules)[opaque.rule].expression);
  const RuleNames& names = scope_.names[opaque.rule];
  std::vector<const Value*> values;
  for (const auto& name : names) values.push_back(name.constant);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < opaque.operands.size(); ++k) {
      const int variable = opaque.variables[k];
      const auto position = static_cast<std::size_t>(output(opaque.operands[k])[i]);
      for (std::size_t name = 0; name < names.size(); ++name) {
        if (names[name].variable == variable)
          values[name] = &scope_.variables[static_cast<std::size_t>(variable)].value(position);
      }
    }
    const Operand cell = arithmetic::truth(evaluate_node(parsed, opaque.node, values, scope_.device));
    at(place_[id])[i] = !cell.is_undefined() && (cell.integer != 0) != opaque.negated ? 1 : 0;
  }
}

}  // namespace attune::space
