// attune plan --why: every record and cover of the kernel, and what speaks for it or against it.
#pragma once

#include "plan.hpp"

namespace attune::cli {

// Shows a reason for each record and cover of the kernel that a source has, and for each fall-back: those that are
// tried come first.
void show_reasons(const PlanQuery& query, const Problem& problem, const DeviceInfo& device);

}  // namespace attune::cli
