// Programs made of a generated header and a main function, compiled by plain C++17 without attune, and run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"

namespace attune::test {

// Compiles the text of a program (warnings are errors) and returns what it prints. Throws std::runtime_error with the
// compiler's output.
std::string output_of_program(const std::string& text, const std::vector<std::string>& options = {"-O0"});

// Returns the device as an initializer of the header's Device: a lambda that is called.
std::string device_code(const DeviceInfo& device);

// Devices of several classes: two siblings, an older one, the host.
DeviceInfo h100(), h200(), a100(), host_cpu();

}  // namespace attune::test
