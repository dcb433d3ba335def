// attune tune --misses: tunes what applications have logged that they do not know (docs/formats/misses.md).
#pragma once

#include <string>
#include <vector>

#include "session/session.hpp"
#include "tune_session.hpp"
#include "worker/workers.hpp"

namespace attune::cli {

struct MissesQuery {
  std::string log;                 // file
  std::vector<std::string> files;  // kernel files; built-in kernels are found by their names
  std::string device, database;
  bool is_dry_run = false;  // lists what would be tuned
  SessionView view = SessionView::text;
  WorkerOptions workers{};
};

// Tunes each line that is of this device class and of a kernel as it is here. The others are noted. `terms`: the
// session's without kernel, problem, regime and objective. Returns an ExitCode: exit_error where a line was refused.
int tune_misses(const MissesQuery& query, SessionRequest terms);

}  // namespace attune::cli
