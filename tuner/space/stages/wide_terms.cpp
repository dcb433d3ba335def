#include "space/stages/wide_terms.hpp"

#include <algorithm>

#include "space/stages/term_builder.hpp"

namespace attune::space {
namespace {

// Rebuilds sums and products of many terms so that terms known first are added or multiplied first. Then only one
// number is needed of these terms. Whole numbers only, because the rounding of reals depends on their order.
class Sorter {
 public:
  Sorter(WideTerms& terms, const std::vector<int>& step_of) : terms_(terms), step_of_(step_of) {}

  TermId sorted(TermId id) {
    if (id == no_term) return id;
    while (done_.size() <= id) done_.push_back(no_term);
    if (done_[id] != no_term) return done_[id];
    const Term term = terms_.graph[id];
    TermId result = id;
    if (term.variable == many_variables && term.op != TermOp::opaque) {
      const bool chain = term.op == TermOp::add || term.op == TermOp::multiply;
      if (!chain || !sort_chain(term.op, id, result)) result = rebuilt(term);
    }
    done_[id] = result;
    return result;
  }

 private:
  TermId rebuilt(const Term& term) {
    std::array<TermId, 3> operands{};
    for (std::size_t i = 0; i < 3; ++i) operands[i] = sorted(term.operands[i]);
    return operands == term.operands ? same(term) : terms_.graph.make(term.op, operands[0], operands[1], operands[2]);
  }

  TermId same(const Term& term) {
    return terms_.graph.make(term.op, term.operands[0], term.operands[1], term.operands[2]);
  }

  void collect(TermOp op, TermId id, std::vector<TermId>& parts) {
    const Term term = terms_.graph[id];
    if (parts.size() > most_parts) return;
    if (term.op == op) {
      collect(op, term.operands[0], parts);
      collect(op, term.operands[1], parts);
    } else {
      parts.push_back(sorted(id));
    }
  }

  int known(TermId id) {
    while (known_.size() <= id) known_.push_back(unasked);
    if (known_[id] == unasked) known_[id] = find_known(id);
    return known_[id];
  }

  int find_known(TermId id) {
    const Term term = terms_.graph[id];
    if (term.variable >= 0) return step_of_[static_cast<std::size_t>(term.variable)];
    if (term.variable == no_variable) return -1;
    int last = -1;
    for (const TermId operand : term.operands) {
      if (operand != no_term) last = std::max(last, known(operand));
    }
    if (term.op == TermOp::opaque) {
      for (const TermId operand : terms_.graph.opaque(id).operands) last = std::max(last, known(operand));
    }
    return last;
  }

  // Returns false where another order could overflow, or if there are too many parts: a shared term of many steps may
  // occur in a sum very often.
  bool sort_chain(TermOp op, TermId id, TermId& result) {
    std::vector<TermId> parts;
    collect(op, id, parts);
    if (parts.size() > most_parts) return false;
    double bound = op == TermOp::add ? 0 : 1;
    for (const TermId part : parts) {
      const Range& range = terms_.graph[part].range;
      const double magnitude = std::max(-static_cast<double>(range.low), static_cast<double>(range.high));
      bound = op == TermOp::add ? bound + magnitude : bound * std::max(magnitude, 1.0);
    }
    if (bound > 9e18) return false;
    std::vector<std::pair<int, TermId>> by_step;
    for (const TermId part : parts) by_step.emplace_back(known(part), part);
    std::stable_sort(by_step.begin(), by_step.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    result = by_step[0].second;
    for (std::size_t i = 1; i < by_step.size(); ++i) result = terms_.graph.make(op, result, by_step[i].second);
    return true;
  }

  WideTerms& terms_;
  const std::vector<int>& step_of_;
  static constexpr std::size_t most_parts = 64;
  static constexpr int unasked = -2;
  std::vector<TermId> done_;  // by term: its sorted form
  std::vector<int> known_;    // by term: the step that binds its last variable
};

void find_known(WideTerms& terms, const std::vector<int>& step_of) {
  const TermGraph& graph = terms.graph;
  terms.known.assign(graph.size(), -1);
  for (TermId id = 0; id < graph.size(); ++id) {
    const Term& term = graph[id];
    if (term.variable >= 0) terms.known[id] = step_of[static_cast<std::size_t>(term.variable)];
    for (const TermId operand : term.operands) {
      if (operand != no_term) terms.known[id] = std::max(terms.known[id], terms.known[operand]);
    }
    if (term.op != TermOp::opaque) continue;
    for (const TermId operand : graph.opaque(id).operands)
      terms.known[id] = std::max(terms.known[id], terms.known[operand]);
  }
}

// Goes from the open roots down to known terms.
std::vector<TermId> frontier_at(const WideTerms& terms, int step) {
  std::vector<bool> seen(terms.graph.size());
  std::vector<TermId> open, frontier;
  for (const TermId root : terms.roots) {
    if (terms.known[root] > step) open.push_back(root);
  }
  const auto meet = [&](TermId id) {
    if (id == no_term || seen[id] || terms.known[id] < 0) return;
    seen[id] = true;
    (terms.known[id] <= step ? frontier : open).push_back(id);
  };
  while (!open.empty()) {
    const TermId id = open.back();
    open.pop_back();
    for (const TermId operand : terms.graph[id].operands) meet(operand);
    if (terms.graph[id].op != TermOp::opaque) continue;
    for (const TermId operand : terms.graph.opaque(id).operands) meet(operand);
  }
  std::sort(frontier.begin(), frontier.end());
  return frontier;
}

Monotony opposite(Monotony trend) {
  if (trend == Monotony::rising) return Monotony::falling;
  return trend == Monotony::falling ? Monotony::rising : trend;
}

Monotony joined(Monotony a, Monotony b) {
  if (a == Monotony::none || a == b) return b;
  return b == Monotony::none ? a : Monotony::mixed;
}

bool depends(Monotony trend) { return trend != Monotony::none; }

Monotony of_product(const TermGraph& graph, const Term& term, Monotony a, Monotony b) {
  const Range &x = graph[term.operands[0]].range, &y = graph[term.operands[1]].range;
  const auto scaled = [](Monotony trend, const Range& by) {
    if (!depends(trend) || by.low >= 0) return trend;
    return by.high <= 0 ? opposite(trend) : Monotony::mixed;
  };
  return joined(scaled(a, y), scaled(b, x));
}

Monotony of_quotient(const TermGraph& graph, const Term& term, Monotony a, Monotony b) {
  const Range &x = graph[term.operands[0]].range, &y = graph[term.operands[1]].range;
  if (y.low <= 0 || (depends(b) && x.low < 0)) return depends(a) || depends(b) ? Monotony::mixed : Monotony::none;
  return joined(a, opposite(b));
}

Monotony trend_of(const TermGraph& graph, const Term& term, Monotony a, Monotony b, Monotony c) {
  if (!depends(a) && !depends(b) && !depends(c)) return Monotony::none;
  switch (term.op) {
    case TermOp::add:
    case TermOp::minimum:
    case TermOp::maximum:
    case TermOp::both:
    case TermOp::either:
      return joined(a, b);
    case TermOp::subtract:
      return joined(a, opposite(b));
    case TermOp::multiply:
      return of_product(graph, term, a, b);
    case TermOp::divide:
    case TermOp::floor_divide:
    case TermOp::ceil_divide:
      return of_quotient(graph, term, a, b);
    case TermOp::negate:
    case TermOp::is_false:  // of truth values; of a number, see below
      if (term.op == TermOp::is_false && graph[term.operands[0]].range.low < 0) return Monotony::mixed;
      return opposite(a);
    case TermOp::is_true:
      return graph[term.operands[0]].range.low < 0 ? Monotony::mixed : a;
    case TermOp::less:
    case TermOp::less_equal:
      return joined(opposite(a), b);
    case TermOp::select:
      return depends(a) ? Monotony::mixed : joined(b, c);
    default:
      return Monotony::mixed;
  }
}

}  // namespace

WideTerms wide_terms(const std::vector<const Clause*>& clauses, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers) {
  WideTerms terms;
  std::vector<int> step_of(scope.variables.size(), -1);
  for (std::size_t step = 0; step < variables.size(); ++step)
    step_of[static_cast<std::size_t>(variables[step])] = static_cast<int>(step);
  TermBuilder builder(terms.graph, numbers, scope);
  for (const Clause* const clause : clauses) {
    const TermId root = Sorter(terms, step_of).sorted(builder.truth(clause->rule, clause->node, clause->negated));
    if (!terms.graph.is_constant(root)) {
      terms.roots.push_back(root);
    } else if (terms.graph[root].constant == 0) {
      terms.never = true;
    }
  }
  find_known(terms, step_of);
  for (int step = 0; step < static_cast<int>(variables.size()); ++step) {
    terms.frontier.push_back(frontier_at(terms, step));
    auto& decided = terms.decided.emplace_back();
    for (const TermId root : terms.roots) {
      if (terms.known[root] == step) decided.push_back(root);
    }
  }
  return terms;
}

std::vector<Monotony> trends(const TermGraph& graph, TermId of) {
  std::vector<Monotony> result(graph.size(), Monotony::none);
  for (TermId id = 0; id < graph.size(); ++id) {
    const Term& term = graph[id];
    const auto operand = [&](std::size_t i) {
      return term.operands[i] == no_term ? Monotony::none : result[term.operands[i]];
    };
    result[id] = id == of ? Monotony::rising : trend_of(graph, term, operand(0), operand(1), operand(2));
    if (term.op == TermOp::opaque && graph[of].variable >= 0) result[id] = Monotony::mixed;
  }
  return result;
}

}  // namespace attune::space
