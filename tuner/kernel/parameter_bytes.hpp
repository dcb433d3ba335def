// The bytes of a launch's parameters, of which only few fit. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "attune/kernel_spec.hpp"

namespace attune {

// The most bytes of all parameters of one launch that any device takes: see DeviceInfo::max_parameter_bytes().
inline constexpr std::int64_t most_parameter_bytes = 32764;

// Returns the bytes of a launch step's parameters, laid out as in C++. Returns nothing for a step without arrays by
// value and tensor maps, whose parameters are few for any problem.
std::optional<Expression> parameter_bytes(const KernelSpec& spec, const Step& step);

// Throws Error, beginning with `where`, when the parameters of a launch step are more than the scope's device takes.
void check_parameter_bytes(const KernelSpec& spec, const Step& step, const Scope& scope, const std::string& where);

}  // namespace attune
