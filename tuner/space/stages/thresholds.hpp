// Thresholds: where all that the rules still ask depends on one number, and on that monotonically, only its place among
// some thresholds matters. They are found from the last variable to the first: each threshold behind a step, seen
// through each value of the step's variable, is one before it.
#pragma once

#include <optional>

#include "space/stages/meter.hpp"
#include "space/stages/wide_terms.hpp"

namespace attune::space {

class Thresholds {
 public:
  // `numbers`: the range of what will be classed.
  Thresholds(std::vector<std::int64_t> ascending, const Range& numbers);
  const std::vector<std::int64_t>& ascending() const { return at_; }
  // How many thresholds each number reaches: numbers of one class are alike.
  const std::vector<std::uint32_t>& classes_of(std::span<const std::int64_t> numbers) const;

 private:
  std::vector<std::int64_t> at_;
  bool narrow_;  // all numbers fit 32 bits, of which twice as many are compared at once
  mutable std::vector<std::int32_t> narrowed_;
  mutable std::vector<std::uint32_t> classes_;  // of the last call
};

// By step: the thresholds of the number that is known behind it; nothing where there are several numbers, or they do
// not act monotonically, or there are too many thresholds to be worth it.
std::vector<std::optional<Thresholds>> find_thresholds(const WideTerms& terms, const RuleScope& scope,
                                                       const std::vector<std::size_t>& widths, Meter& meter);

}  // namespace attune::space
