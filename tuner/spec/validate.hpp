// The checks that kernel files and specs built in C++ share. Pure; each throws Fault at the first thing wrong.
#pragma once

#include "attune/kernel_spec.hpp"
#include "spec/fault.hpp"

namespace attune {

// All of them, in the order of a kernel file's sections.
void validate(const KernelSpec& spec);

void validate_arguments(const KernelSpec& spec);
// [[prepare]], [[launch]], [[reference]], and whether the steps use what there is.
void validate_steps(const KernelSpec& spec);
void validate_compile_options(const KernelSpec& spec);

}  // namespace attune
