// What a compiler says of the speed of code that it compiled: spilled registers, "Potential Performance Loss". Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/trial.hpp"

namespace attune {

// Returns the lines of a compiler's log that warn of a loss of performance, each once; "" where there are none. A right
// trial keeps them as its detail.
std::string performance_warnings(std::string_view log);

// Returns what is to be said of the code of `who` ("the default"): a line each.
std::vector<std::string> compiler_remarks(const std::string& who, const Trial& trial);

}  // namespace attune
