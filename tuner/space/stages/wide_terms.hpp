// The terms of wide clauses in the order in which their variables are bound. It has the step of each term, and the
// known terms that open terms need. Belongs to one construction and one thread.
#pragma once

#include "space/stages/clauses.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

struct WideTerms {
  TermGraph graph;
  std::vector<TermId> roots;  // 1 where a clause holds; constants are not among them
  bool never = false;         // a clause that is false for all
  std::vector<int> known;     // by term: the step that binds its last variable; -1 for constants
  // By step: the known terms that, with later variables, decide all open clauses.
  std::vector<std::vector<TermId>> frontier;
  std::vector<std::vector<TermId>> decided;  // by step: roots that are known then
};

// `variables`: in the order of the steps.
WideTerms wide_terms(const std::vector<const Clause*>& clauses, const std::vector<int>& variables,
                     const RuleScope& scope, NameNumbers& numbers);

// How a term moves with another: the same way, against it, not at all, or neither.
enum class Trend { none, rising, falling, mixed };
// Returns the trend of every term with `of`.
std::vector<Trend> trends(const TermGraph& graph, TermId of);

}  // namespace attune::space
