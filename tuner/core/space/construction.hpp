// From parameters and rules to counted diagrams: the stages of the construction in their order. One thread.
#pragma once

#include "core/space/component.hpp"

namespace attune::space {

// A parameter of which one value is left.
struct Fixed {
  std::uint32_t parameter = 0;
  std::uint16_t position = 0;
};

struct Constructed {
  bool empty = false;
  std::vector<Component> components;  // in the order of their first parameters
  std::vector<Fixed> fixed;           // in the order of parameters
  std::vector<std::size_t> left_out;  // rules, ascending
  SpaceFigures figures;
};

// Throws UsageError for names that nothing binds. Where the budget does not suffice: SpaceTooLarge, or with `relax` the
// parts that are to blame are left out.
Constructed construct(const std::vector<Parameter>& parameters, const std::vector<Rule>& rules, const Bindings& problem,
                      const DeviceInfo* device, const SpaceBudget& budget, bool relax);

}  // namespace attune::space
