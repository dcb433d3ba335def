// Code for launching the kernel's own templates, which the application compiles by nvcc (--templates).
#pragma once

#include <string>

#include "exports/tables.hpp"

namespace attune {

// Throws UsageError if the kernel has what templates cannot have: tunable options and definitions, tensor maps,
// `requires`.
void require_templates(const KernelSpec& spec);

// Returns functions for the global name space that give the address of an entry and of a variable of the code. They
// instantiate only what can be selected. Their names begin with `prefix`.
std::string instantiation_code(const HeaderTerms& terms, const ExportTables& tables, const std::string& prefix);
// Returns the structure Arguments and launch(), for the header's own name space.
std::string launch_code(const KernelSpec& spec, const std::string& prefix);
// Returns the options that nvcc needs, as text for a comment: "-std=c++17 -DATTUNE_HALF=1".
std::string nvcc_options(const HeaderTerms& terms);

}  // namespace attune
