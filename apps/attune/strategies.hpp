// The output of `attune strategies` and of `attune tune --strategy help`.
#pragma once

#include <string>

namespace attune::cli {

// Returns every strategy, registered ones too, with its options, their defaults and bounds.
std::string strategies_text();

}  // namespace attune::cli
