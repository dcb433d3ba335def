// attune plan --why: every record of the kernel, and what speaks for it or against it.
#pragma once

#include "plan.hpp"

namespace attune::cli {

// Shows a reason for each stored record of the kernel, and for each fall-back: those that are tried come first.
void show_reasons(const PlanQuery& query, const Problem& problem, const DeviceInfo& device);

}  // namespace attune::cli
