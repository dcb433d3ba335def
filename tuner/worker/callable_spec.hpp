// A tunable as a kernel without source, steps and arguments, and the values that its workers get as texts. Pure.
#pragma once

#include <string>

#include "attune/kernel_spec.hpp"
#include "attune/tunable.hpp"
#include "core/regime.hpp"

namespace attune {

// The kind of the device that callables run on. Records of kernels do not serve callables, and the other way round.
inline constexpr const char* callable_kind = "callable";
inline constexpr Regime callable_regime = Regime::warm;

// Throws UsageError for a tunable whose names or values cannot be told apart, or that makes no work.
KernelSpec callable_spec(const Tunable& tunable);

// Returns the device of the tunable, of kind `callable`.
DeviceInfo callable_device(const Tunable& tunable);

// Completes a request with the values of `tunable.problem`, in their order. Throws UsageError for an unknown name and
// for a value of another kind.
Problem callable_problem(const Tunable& tunable, const Bindings& given);

// Reads Bindings::text(), with the names and kinds of `like`. Throws Error for another text.
Bindings decoded(const std::string& text, const Bindings& like);

}  // namespace attune
