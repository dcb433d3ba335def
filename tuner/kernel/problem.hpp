// Makes a complete Problem of a kernel from a request.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "attune/bindings.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

// Whether a problem may have sizes of 0, for which a kernel with `may_be_empty` launches nothing.
enum class EmptyProblem { refused, allowed };

// Completes `given` with defaults, first with those for `device_kind`, in the order of [problem]. Throws UsageError for
// an unknown name (naming the nearest known one), a missing value, a value of the wrong kind, a size outside 1 .. 2^62,
// and a type that the kernel does not list. Where `empty` and the kernel allow it, a size may be 0.
Problem make_problem(const KernelSpec& spec, const Bindings& given, std::string_view device_kind,
                     EmptyProblem empty = EmptyProblem::refused);

// Returns the value of a name that a request leaves out; nothing where the kernel file gives no default.
std::optional<Value> default_of(const ProblemParameter& parameter, std::string_view device_kind);

// Reads a problem from text: parse_bindings(), then make_problem().
Problem parse_problem(const KernelSpec& spec, std::string_view text, std::string_view device_kind,
                      EmptyProblem empty = EmptyProblem::refused);

// Reads a configuration from text, and completes it with defaults. Throws UsageError for unknown names or unlisted
// values.
Configuration parse_configuration(const KernelSpec& spec, std::string_view text);

// Returns `spec` with the values of some parameters narrowed: "BLOCK=128,256 TILE=32". The space fingerprint changes.
// Throws UsageError for a value that the parameter does not list.
KernelSpec narrow(KernelSpec spec, std::string_view text);

}  // namespace attune
