// Finds the hopeless combinations of a wide automaton, which never become states. A combination is hopeless if some
// rule fails even with the most favourable values of all unbound variables. Belongs to one construction and one thread.
#pragma once

#include "space/stages/term_program.hpp"
#include "space/stages/wide_terms.hpp"

namespace attune::space {

// A rule, and the most favourable value of each column that it depends on.
struct Hope {
  TermId root;
  std::vector<std::pair<TermId, std::int64_t>> columns;
};

// Returns the hopes of the rules that are monotonic in every column.
std::vector<Hope> find_hopes(const WideTerms& terms);

class HopesOfStep {
 public:
  // All references must outlive the object. It takes up to `capacity` combinations at a time.
  HopesOfStep(const std::vector<Hope>& hopes, const WideTerms& terms, const RuleScope& scope, std::size_t step,
              std::size_t capacity);

  // Sets alive[i] to 0 for each hopeless combination. `ran` has the values of the step's frontier for `count`
  // combinations.
  void settle(const TermProgram& ran, std::size_t count, std::int64_t* alive);

 private:
  struct Open {
    TermId root;
    TermProgram program;
  };
  const std::vector<TermId>& frontier_;
  std::vector<Open> open_;
};

}  // namespace attune::space
