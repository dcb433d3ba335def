// Hopeless states of a wide automaton: those in which some rule fails even with the most favourable values of all that
// is unbound. Found early, they are not expanded. Belongs to one construction and one thread.
#pragma once

#include "core/space/wide_states.hpp"

namespace attune::space {

class HopelessStates {
 public:
  // Both must outlive it.
  HopelessStates(const WideTerms& terms, const RuleScope& scope);

  // Leaves the hopeless ones of the states behind a step out of `states` and of `children`, which lead to them.
  void drop(std::size_t step, StateValues& states, std::vector<std::uint32_t>& children) const;

 private:
  // A rule, and what each column that it still needs must be worth for the rule to hold, if anything does.
  struct Hope {
    TermId root;
    std::vector<std::pair<TermId, std::int64_t>> columns;
  };

  std::vector<std::uint8_t> hopeless(std::size_t step, const StateValues& states) const;

  const WideTerms& terms_;
  const RuleScope& scope_;
  std::vector<Hope> hopes_;  // of rules that move one way with every column
};

}  // namespace attune::space
