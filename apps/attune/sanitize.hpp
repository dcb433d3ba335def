// `attune check --sanitize`: the command runs again, in a process with the sanitizers' runtime preloaded.
#pragma once

#include "attune/kernel_spec.hpp"
#include "command.hpp"
#include "device/host/sanitizer.hpp"
#include "kernel/instantiate.hpp"

namespace attune::cli {

// Runs `attune check` with these arguments in such a process, and returns its exit code. The process is killed after
// `seconds`. Throws Error when it cannot start, or when the runtime is missing, with what to install.
int check_in_sanitized_process(const Sanitizers& sanitizers, const Arguments& arguments, double seconds);

// In that process: its end, by return or exception, is not the kernel's doing.
class EndReport {
 public:
  EndReport() = default;
  ~EndReport();
  EndReport(const EndReport&) = delete;
  EndReport& operator=(const EndReport&) = delete;
};

// Sets the reporting in that process. A finding is printed as a verdict, with the kernel's line, block and thread, and
// ends the process. `default_configuration`: the configuration in place of a reference.
void print_findings(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                    const Configuration& default_configuration, const DeviceInfo& info);

}  // namespace attune::cli
