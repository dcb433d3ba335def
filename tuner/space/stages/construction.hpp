// From parameters and rules to a counted diagram: the stages of the construction in their order. One thread.
#pragma once

#include "space/stages/diagram.hpp"

namespace attune::space {

struct Constructed {
  Diagram diagram;                    // parts in the order of their first parameters
  std::vector<std::size_t> left_out;  // rules, ascending
  SpaceFigures figures;
};

// Throws UsageError for names that nothing binds. Where the budget does not suffice: SpaceTooLarge, or with `relax` the
// parts that are to blame are left out.
Constructed construct(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                      const DeviceInfo* device, const SpaceBudget& budget, bool relax);

}  // namespace attune::space
