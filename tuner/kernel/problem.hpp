// From what somebody asks for to a complete Problem of a kernel.
#pragma once

#include <string>
#include <string_view>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Completes `given` with defaults (those of `device_kind` first) in the order of [problem]. Throws UsageError for
// an unknown name (nearest known one), a value of the wrong kind, a size outside 1 .. 2^62, a type that the kernel
// does not list, a missing value.
Problem make_problem(const KernelSpec& spec, const Bindings& given, std::string_view device_kind);

// The same from text: parse_bindings + make_problem.
Problem parse_problem(const KernelSpec& spec, std::string_view text, std::string_view device_kind);

// Reads a whole configuration, or a part completed with defaults; throws UsageError for unknown names or values
// that the parameter does not list.
Configuration parse_configuration(const KernelSpec& spec, std::string_view text);

// `spec` with the values of some parameters narrowed: "BLOCK=128,256 TILE=32". Values must be listed by the
// parameter. The space fingerprint changes. Throws UsageError.
KernelSpec narrow(KernelSpec spec, std::string_view text);

}  // namespace attune
