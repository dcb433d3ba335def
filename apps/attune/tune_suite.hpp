// attune tune --problems: many problems tuned as one session (session/suite.hpp).
#pragma once

#include <memory>
#include <vector>

#include "options.hpp"
#include "tune_session.hpp"

namespace attune::cli {

struct SuiteMember {
  std::shared_ptr<const KernelSpec> spec;
  Problem problem;
};

// Returns the problems of --problems, a list for each kernel of the command, for devices of this kind. Throws
// UsageError when there are more lists or fewer.
std::vector<SuiteMember> suite_members(const Options& options, const KernelSpec& first, const std::string& kind);

// Runs a suite for these problems, on a bench for each device of this name, and shows it. Returns an ExitCode.
int tune_suite(const Options& options, KernelRequest request, const std::vector<SuiteMember>& members,
               const std::string& device);

}  // namespace attune::cli
