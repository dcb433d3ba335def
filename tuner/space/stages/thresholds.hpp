// Thresholds: classes of a number. They apply where all that the rules still need is monotonic in one number. Then only
// its place among some thresholds matters. They are found from the last variable to the first. Each threshold after a
// step gives, through each value of its variable, one before it.
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
  // Returns how many thresholds each number reaches: numbers of one class are equivalent.
  const std::vector<std::uint32_t>& classes_of(std::span<const std::int64_t> numbers) const;

 private:
  std::vector<std::int64_t> at_;
  bool narrow_;  // all numbers fit 32 bits: twice as many are compared at once
  mutable std::vector<std::int32_t> narrowed_;
  mutable std::vector<std::uint32_t> classes_;  // of the last call
};

// Returns, by step, the thresholds of the number known after it. Nothing where there are several numbers, no
// monotonicity, or too many thresholds.
std::vector<std::optional<Thresholds>> find_thresholds(const WideTerms& terms, const RuleScope& scope,
                                                       const std::vector<std::size_t>& widths, BudgetUse& use);

}  // namespace attune::space
