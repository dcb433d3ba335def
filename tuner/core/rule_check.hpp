// RuleCheck: a rule made ready to be checked for many assignments of the same parameters. One thread at a time; the
// expression and the problem must outlive it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attune/expression.hpp"
#include "attune/parameter.hpp"

namespace attune {

class RuleCheck {
 public:
  // Throws UsageError when the rule uses a name that is neither a parameter nor in `problem`, or needs a device and has
  // none.
  RuleCheck(const Expression& rule, const std::vector<Parameter>& parameters, const Bindings& problem,
            const DeviceInfo* device);

  // Positions of the parameters that the rule mentions, ascending.
  const std::vector<std::size_t>& mentioned() const noexcept { return mentioned_; }
  // Does the rule hold? `positions` has one value position per parameter; only those of mentioned() are read.
  bool holds(std::span<const std::uint16_t> positions);

 private:
  static constexpr std::size_t fixed = static_cast<std::size_t>(-1);
  const Expression& rule_;
  const std::vector<Parameter>& parameters_;
  const DeviceInfo* device_;
  std::vector<std::size_t> sources_;  // by name of the rule: position of the parameter, or `fixed`
  std::vector<const Value*> values_;  // by name of the rule
  std::vector<std::size_t> mentioned_;
};

}  // namespace attune
