// WideTerms: the terms of wide clauses, with the step at which each term is known and the known terms that open terms
// need. A step binds one variable. Belongs to one construction and one thread.
#pragma once

#include "space/stages/clauses.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

struct WideTerms {
  TermGraph graph;
  std::vector<TermId> roots;  // one per clause, 1 where it holds; constants are left out
  bool never = false;         // some clause is false for all combinations
  std::vector<int> known;     // by term: the step that binds its last variable; -1 for constants
  // By step: the known terms that, together with later variables, decide all open clauses.
  std::vector<std::vector<TermId>> frontier;
  std::vector<std::vector<TermId>> decided;  // by step: the roots that become known at this step
};

// `variables` has them in the order of the steps.
WideTerms wide_terms(const std::vector<const Clause*>& clauses, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers);

// How a term moves as another one rises: not at all, up, down, or in a way that is not known to be one of these.
enum class Monotony { none, rising, falling, mixed };
// Returns the trend of every term as `of` rises.
std::vector<Monotony> trends(const TermGraph& graph, TermId of);

}  // namespace attune::space
