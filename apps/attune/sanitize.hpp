// `attune check --sanitize`: the command runs once more, in a process with the sanitizers' runtime preloaded.
#pragma once

#include "attune/kernel_spec.hpp"
#include "command.hpp"
#include "kernel/instantiate.hpp"
#include "device/host/sanitizer.hpp"

namespace attune::cli {

// Runs `attune check` with these arguments in such a process, killed after `seconds`, and returns its exit code. Throws
// Error when the runtime cannot be found, saying what to install, or the process not started.
int check_in_sanitized_process(const Sanitizers& sanitizers, const Arguments& arguments, double seconds);

// In that process: a finding is printed as a verdict, with the kernel's line, block and thread, and ends the process.
// `fallback`: the configuration that stands in for a reference.
void print_findings(const KernelSpec& spec, const Problem& problem, const Configuration& configuration,
                    const Configuration& fallback, const DeviceInfo& info);

}  // namespace attune::cli
