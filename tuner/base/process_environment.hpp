// Arguments for exec(): lists of texts, and this process's environment with changes.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace attune {

// Returns this process's environment with `changes` applied. In a set-user-id process, returns only `changes` and a
// PATH to the system's programs, because compilers read more variables than attune knows.
std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes);

// Returns pointers to the texts, and a null pointer after them. The texts must outlive the result.
std::vector<char*> pointers_to(const std::vector<std::string>& texts);

}  // namespace attune
