// The command line, as a library (CMake: attune::cli): for a program of your own with strategies of your own, made known
// by register_strategy() before (attune/strategy.hpp; docs/strategies.md).
#pragma once

namespace attune {

// What the program `attune` does with its arguments: prints results to standard output, messages to standard error.
// Returns the exit code (docs/command_line.md). Never throws. Once per process: it takes SIGINT, SIGTERM, SIGPIPE and
// SIGXFSZ for itself.
int run_command_line(int argc, char** argv);

}  // namespace attune
