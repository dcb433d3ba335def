// Finds the sanitizers' runtime libraries of the host device's C++ compiler.
#pragma once

#include <string>
#include <vector>

#include "device/host/sanitizer.hpp"

namespace attune {

// Returns the paths to preload, in order. Throws Error with what to install when one is missing.
std::vector<std::string> sanitizer_runtimes(const Sanitizers& sanitizers);

}  // namespace attune
