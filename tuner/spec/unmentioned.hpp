// Finds parameters that make no difference. Pure.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"

namespace attune {

// Returns the parameters that nothing mentions: no step, template argument, option, rule or size, and no source that is
// compiled with parameters as macros. For such a parameter a search would try configurations that are all the same.
std::vector<std::string> unmentioned_parameters(const KernelSpec& spec);

// Returns a message about these parameters, or "" if there are none.
std::string unmentioned_text(const KernelSpec& spec);

}  // namespace attune
