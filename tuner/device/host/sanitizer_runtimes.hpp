// Where the C++ compiler of the host device keeps the sanitizers' runtime libraries.
#pragma once

#include <string>
#include <vector>

#include "device/host/sanitizer.hpp"

namespace attune {

// Paths to preload, in order. Throws Error saying what to install when one is missing.
std::vector<std::string> sanitizer_runtimes(const Sanitizers& sanitizers);

}  // namespace attune
