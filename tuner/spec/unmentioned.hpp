// Parameters that make no difference. Pure.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"

namespace attune {

// Returns the parameters that nothing mentions: no step, template argument, option, rule or size, and no source that is
// compiled with them as macros. A search would try configurations that are all the same.
std::vector<std::string> unmentioned_parameters(const KernelSpec& spec);

// Returns what is to be said of them; "" where there are none.
std::string unmentioned_text(const KernelSpec& spec);

}  // namespace attune
