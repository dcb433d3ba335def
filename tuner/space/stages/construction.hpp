// Builds a counted diagram from parameters and rules, stage by stage. One thread.
#pragma once

#include "space/stages/diagram.hpp"

namespace attune::space {

struct ConstructedSpace {
  Diagram diagram;                    // its parts are in the order of their first parameters
  std::vector<std::size_t> left_out;  // rules, ascending
  SpaceFigures figures;
};

// Throws UsageError for names that nothing binds. Beyond the budget it throws SpaceTooLarge; with `relax` it leaves out
// the clauses to blame instead.
ConstructedSpace construct(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules,
                           const Bindings& problem, const DeviceInfo* device, const SpaceBudget& budget, bool relax);

}  // namespace attune::space
