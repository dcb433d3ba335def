// attune tune --revalidate: measures stored records again (session/revalidate.hpp).
#pragma once

#include <string>
#include <vector>

#include "tune_session.hpp"
#include "worker/workers.hpp"

namespace attune::cli {

struct RevalidationQuery {
  std::vector<std::string> kernels;  // built-in names and files; empty: every built-in kernel with records
  std::string device, database;
  bool all = false;         // also records that nothing speaks against
  bool is_dry_run = false;  // lists what would be measured, and why
  SessionView view = SessionView::text;
  WorkerOptions workers{};
};

// Measures the records of this class of devices again. `terms`: the session's without kernel, problem, regime and
// objective. Returns an ExitCode: exit_error where a record could not be measured.
int tune_revalidate(const RevalidationQuery& query, SessionRequest terms);

}  // namespace attune::cli
