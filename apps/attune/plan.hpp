// What a Dispatcher would launch, without measuring: `attune plan`, and `attune tune` with an effort that does not
// search.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "attune/tunable.hpp"
#include "core/regime.hpp"
#include "device/device.hpp"
#include "dispatch/wisdom_sources.hpp"
#include "session/effort.hpp"

namespace attune::cli {

struct PlanQuery {
  KernelSpec spec;
  std::string kernel;    // as it was given: a name or a file
  std::string database;  // need not exist
  Regime regime = Regime::cold;
  std::string objective = "time";
  const EffortPlan* effort = nullptr;  // of `attune tune`, which fails where the database cannot be read
  bool json = false;
  bool why = false;  // shows every record and cover of the kernel, with what speaks for it or against it
  WisdomPlaces places = {};
};

// Shows the best match of each problem. Returns exit_error where a problem has none: no configuration is legal, or the
// effort needs wisdom and there is none.
int show_matches(const PlanQuery& query, const std::vector<Problem>& problems, std::shared_ptr<Device> device);
// The same for a callable.
int show_matches(const PlanQuery& query, const std::vector<Problem>& problems, const Tunable& tunable);
// Reads problems of a callable, and completes them.
std::vector<Problem> callable_problems(const Tunable& tunable, const std::vector<std::string>& texts);

}  // namespace attune::cli
