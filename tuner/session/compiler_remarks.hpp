// What a compiler says about the speed of the code that it made: spilled registers, "Potential Performance Loss". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trial.hpp"

namespace attune {

// Returns the lines of a compiler's log that warn of a loss of performance, each once, or "" if there are none. A trial
// with the verdict `ok` keeps them as its detail.
std::string performance_warnings(std::string_view log);

// Returns remarks on the code of `who` ("the default"), one line each.
std::vector<std::string> compiler_remarks(const std::string& who, const Trial& trial);

}  // namespace attune
