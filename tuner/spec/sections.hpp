// The sections of the front matter -> the members of a KernelSpec. Each function reads one section's table and checks
// kinds, keys and syntax. validate() checks the spec as a whole.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "spec/document.hpp"

namespace attune {

void read_kernel(const Document& document, const TomlNode& table, KernelSpec& spec);
std::vector<ProblemParameter> read_problem(const Document& document, const TomlNode& table);
std::vector<Parameter> read_parameters(const Document& document, const TomlNode& table);
// Reads [values], which must come before everything that uses them. refuse_misused_values() then checks what only the
// whole spec shows. Both throw SpecError.
void read_values(Document& document, const TomlNode& table);
void refuse_misused_values(const Document& document, const KernelSpec& spec);
std::vector<Expression> read_restrictions(const Document& document, const TomlNode& table);
// Reads [[launch]], [[verify]], [[reference]] or [[prepare]]; `name` is for messages.
std::vector<Step> read_steps(const Document& document, const TomlNode& array, const std::string& name);
// Reads an entry of [arguments] that has `tensor`; `name` is for messages.
Argument read_tensor_map(const Document& document, const TomlNode& node, const std::string& name);
std::vector<Argument> read_arguments(const Document& document, const TomlNode& table);
// Reads [check] and the tables [check.NAME] in it.
void read_check(const Document& document, const TomlNode& table, KernelSpec& spec);
Metrics read_metrics(const Document& document, const TomlNode& table);
std::vector<Ladder> read_ladders(const Document& document, const TomlNode& array);
CompileOptions read_compile(const Document& document, const TomlNode& table);

}  // namespace attune
