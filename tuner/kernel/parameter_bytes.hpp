// The bytes of a launch's parameters: few fit. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attune/kernel_spec.hpp"

namespace attune {

// Of all parameters of one launch, as the driver takes them on every device.
inline constexpr std::uint64_t most_parameter_bytes = 4096;

// Returns the bytes of a launch step's parameters, laid out as C++ does; nothing where they are few whatever the sizes:
// without arrays by value and tensor maps.
std::optional<Expression> parameter_bytes(const KernelSpec& spec, const Step& step);

// Throws Error, beginning with `where`, when the parameters of a launch step do not fit.
void check_parameter_bytes(const KernelSpec& spec, const Step& step, const Scope& scope, const std::string& where);

}  // namespace attune
