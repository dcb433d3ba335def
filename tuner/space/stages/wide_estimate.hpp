// WideEstimate: estimates the number of states of a group with wide clauses, once a set of variables is bound. A state
// has each number that the unbound rest still needs. A number has no more values than its inputs have combinations, and
// no more than its range has. One thread.
#pragma once

#include <map>

#include "space/stages/clauses.hpp"
#include "space/stages/order.hpp"
#include "space/stages/term.hpp"

namespace attune::space {

class WideEstimate {
 public:
  // `variables` has the variables of the group, most_ordered at most; sets and ties refer to positions in it. `tables`
  // has the ties of the clauses that are not wide. All references must outlive the estimate.
  WideEstimate(const std::vector<const Clause*>& wide, const std::vector<int>& variables, std::vector<Tie> tables,
               const RuleScope& scope, NameNumbers& numbers);

  double states(VariableSet bound);

 private:
  // What is known of a number: how many values it has, a bound on its magnitude, and the values if they are few.
  struct NumberFacts {
    double values = 1;
    double magnitude = 1;
    std::vector<std::int64_t> list;  // ascending; empty: too many
  };

  NumberFacts known(TermId id) const;
  NumberFacts combined(TermOp op, bool narrow, const NumberFacts& a, const NumberFacts& b, double most) const;
  void open(TermId id, VariableSet bound);
  void open_chain(TermId id, VariableSet bound);
  const NumberFacts& of_chain(TermOp op, std::span<const TermId> parts);
  void collect(TermOp op, TermId id, std::vector<TermId>& parts) const;
  void needed(VariableSet members, const NumberFacts& number);
  double of_tables(VariableSet bound) const;

  TermGraph graph_;
  std::vector<TermId> roots_;
  std::vector<double> widths_;                                            // by position
  std::vector<VariableSet> below_;                                        // by term: the variables that it depends on
  std::vector<NumberFacts> known_;                                        // by term
  std::map<std::pair<TermOp, std::vector<TermId>>, NumberFacts> chains_;  // by operation and the terms that it joins
  std::vector<Tie> tables_;
  VariableSet scope_ = 0;  // of all wide clauses
  // For the set of variables at hand.
  std::vector<bool> seen_;                   // by term
  VariableSet bare_ = 0;                     // variables that are needed as they are
  VariableSet needed_ = 0;                   // variables that are needed in some way
  std::vector<const NumberFacts*> counted_;  // sums and products that are needed
  double states_ = 1;
  std::size_t numbers_needed_ = 0;
};

}  // namespace attune::space
