// A tunable whose work a program of any language does. The program answers lines of JSON (docs/callables.md).
#pragma once

#include <string>

#include "attune/tunable.hpp"
#include "worker/deadlines.hpp"

namespace attune {

// Runs the program by `sh`, asks it for its description, and lets it go: `make` throws. Throws Error where it gives
// none in so many seconds, and UsageError for one that is wrong.
Tunable ask_for_tunable(const std::string& command, double seconds = Deadlines::open_seconds);

// Does the same in a worker, which keeps the program: it does the work that `make` returns. When the program ends, this
// process ends as the program did.
Tunable tunable_of_program(const std::string& command);

}  // namespace attune
