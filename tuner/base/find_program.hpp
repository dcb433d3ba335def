// Finds programs as a shell does.
#pragma once

#include <string>

namespace attune {

// Returns the absolute path of a program, given by path or by name (looked up in PATH, of which set-user-id processes
// have only the system's). Returns "" when there is none.
std::string find_program(const std::string& name);

}  // namespace attune
