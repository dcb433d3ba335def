// The command line as a library (CMake: attune::cli), for a program with strategies of its own. The program registers
// them first, by register_strategy() (attune/strategy.hpp; docs/strategies.md).
#pragma once

namespace attune {

// Does what the program `attune` does, and returns its exit code (docs/command_line.md). Never throws. Prints results
// to standard output, messages to standard error. To be called once per process: it handles SIGINT, SIGTERM, SIGPIPE
// and SIGXFSZ.
int run_command_line(int argc, char** argv);

}  // namespace attune
