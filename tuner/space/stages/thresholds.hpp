// Thresholds: merge states of a wide automaton. If the remaining rules depend monotonically on one number computed so
// far, two values of it between the same thresholds are equivalent. Thresholds are found from the last variable to the
// first. For each value of a step's variable, each threshold after the step gives one threshold before it.
#pragma once

#include <optional>

#include "space/stages/budget_use.hpp"
#include "space/stages/wide_terms.hpp"

namespace attune::space {

class Thresholds {
 public:
  // `numbers`: the range of the numbers to classify.
  Thresholds(std::vector<std::int64_t> ascending, const Range& numbers);
  const std::vector<std::int64_t>& ascending() const { return at_; }
  // Returns the class of each number: how many thresholds it reaches. Numbers of one class are equivalent. The result
  // stays valid until the next call.
  const std::vector<std::uint32_t>& classes_of(std::span<const std::int64_t> numbers) const;

 private:
  std::vector<std::int64_t> at_;
  bool narrow_;  // all numbers fit 32 bits, so that twice as many are compared at once
  mutable std::vector<std::int32_t> narrowed_;
  mutable std::vector<std::uint32_t> classes_;  // of the last call
};

// Returns, by step, the thresholds of the number known after the step. A step has none if the rules need several
// numbers after it, if they are not monotonic in the number, or if there are too many thresholds.
std::vector<std::optional<Thresholds>> find_thresholds(const WideTerms& terms, const RuleScope& scope,
                                                       const std::vector<std::size_t>& widths, BudgetUse& use);

}  // namespace attune::space
