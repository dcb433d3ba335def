// `attune tune` with an effort that does not search: what is known.
#pragma once

#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "device/device.hpp"
#include "session/effort.hpp"

namespace attune::cli {

struct KnownRequest {
  const EffortPlan& effort;  // one that does not search
  const KernelSpec& spec;
  std::string kernel;    // as it was given: a name or a file
  std::string database;  // need not exist
  Regime regime = Regime::cold;
  std::string objective = "time";
  bool json = false;
};

// Shows what is known of each problem. The exit code: 1 where the effort needs wisdom and there is none for one of
// them.
int show_known(const KnownRequest& request, const std::vector<Problem>& problems, Device& device);

}  // namespace attune::cli
