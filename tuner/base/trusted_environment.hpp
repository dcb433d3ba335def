// Environment variables that decide which code and which files this process trusts.
#pragma once

#include <optional>
#include <string>

namespace attune {

// Returns whether the environment is that of the user whose rights this process has.
bool is_environment_trusted();

// Returns an environment variable. Nothing when it is unset or empty, or in a set-user-id process, whose caller may be
// somebody else.
std::optional<std::string> trusted_environment(const char* name);

}  // namespace attune
