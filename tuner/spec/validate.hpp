// The checks that are common to kernel files and specs in C++. Pure; each throws Fault at the first defect.
#pragma once

#include "attune/kernel_spec.hpp"
#include "spec/fault.hpp"

namespace attune {

// Runs all checks, in the order of a kernel file's sections.
void validate(const KernelSpec& spec);

void validate_arguments(const KernelSpec& spec);
// Checks `place` and `symbol` of [arguments].
void validate_places(const KernelSpec& spec);
// Checks an argument of the role map.
void validate_tensor_map(const KernelSpec& spec, const Argument& map);
// Checks [[prepare]], [[launch]], [[verify]] and [[reference]], and that the steps use every argument.
void validate_steps(const KernelSpec& spec);
void validate_compile_options(const KernelSpec& spec);
void validate_ladders(const KernelSpec& spec);

}  // namespace attune
