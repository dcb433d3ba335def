// Builds a counted diagram from parameters and rules, stage by stage. One thread.
#pragma once

#include "space/stages/diagram.hpp"

namespace attune::space {

struct Constructed {
  Diagram diagram;                    // parts in the order of their first parameters
  std::vector<std::size_t> left_out;  // rules, ascending
  SpaceFigures figures;
};

// Throws UsageError for names that nothing binds. Beyond the budget it throws SpaceTooLarge, or with `relax` leaves out
// the parts to blame.
Constructed construct(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                      const DeviceInfo* device, const SpaceBudget& budget, bool relax);

}  // namespace attune::space
