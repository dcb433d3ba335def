// A tunable whose work a program of any language does. The program answers lines of JSON (docs/callables.md).
#pragma once

#include <string>

#include "attune/tunable.hpp"

namespace attune {

// Reads a description: an object with the members of Tunable. Its `make` throws. Throws UsageError for another text.
Tunable described_tunable(const std::string& description);

// Runs the program by `sh`, asks it for its description, and lets it go. Throws Error where it gives none.
Tunable ask_for_tunable(const std::string& command);

// Does the same in a worker, which keeps the program: it does the work that `make` returns. When the program ends, this
// process ends as the program did.
Tunable tunable_of_program(const std::string& command);

}  // namespace attune
