// attune tune --problems: many problems of one kernel, tuned as one session (session/suite.hpp).
#pragma once

#include <vector>

#include "tune_session.hpp"

namespace attune::cli {

// Runs a suite for these problems on the pool's device, and shows it. Returns an ExitCode.
int tune_suite(KernelRequest request, const std::vector<Problem>& problems, Pool& pool, WisdomStore& store,
               ImageCache* images, SessionView view);

}  // namespace attune::cli
