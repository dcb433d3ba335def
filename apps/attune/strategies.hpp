// What `attune tune --strategy help` prints.
#pragma once

#include <string>

namespace attune::cli {

// Every strategy that is known, registered ones too, with its options, their defaults and bounds.
std::string strategies_text();

}  // namespace attune::cli
