// Environment variables that decide which code and which files this process trusts.
#pragma once

#include <optional>
#include <string>

namespace attune {

// Returns whether the environment comes from the user whose rights this process has.
bool is_environment_trusted();

// Returns an environment variable; nothing if it is unset or empty. Returns nothing in a set-user-id process, because
// its caller may be another user.
std::optional<std::string> trusted_environment(const char* name);

}  // namespace attune
