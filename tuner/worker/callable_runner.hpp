// The runner of a callable: an instance is a configuration, and a launch is a call.
#pragma once

#include <memory>

#include "attune/tunable.hpp"
#include "worker/runner.hpp"

namespace attune {

// Opens no device: the work does what it needs. Runners read the problem and configurations from the texts of jobs.
std::unique_ptr<Testbed> callable_testbed(const Tunable& tunable);

}  // namespace attune
