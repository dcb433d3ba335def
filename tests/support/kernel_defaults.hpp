// Built-in kernels with other defaults, which are what a dispatcher without wisdom launches.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "attune/attune.hpp"
#include "attune/kernel_spec.hpp"

namespace attune::test {

using Defaults = std::vector<std::pair<std::string, std::string>>;  // parameter, value

// Returns the built-in kernel, with the defaults as the first values of their parameters.
KernelSpec kernel_with(const std::string& name, const Defaults& defaults);

std::string text_of(const Defaults& defaults);

// Returns a dispatcher without wisdom that knows this kernel with these defaults.
std::unique_ptr<Dispatcher> dispatcher_with(const std::string& device, const std::string& kernel,
                                            const Defaults& defaults);

}  // namespace attune::test
