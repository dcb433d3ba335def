#include "exports/template_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attune/error.hpp"
#include "core/type_table.hpp"
#include "exports/cpp_text.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/substitute.hpp"

namespace attune {
namespace {

constexpr std::string_view instead = "export without --templates, or use attune's runtime or a bundle of images";

// Returns whether a condition is false for all sizes and devices.
bool is_never(const Expression& condition, const Scope& scope) {
  const bool is_decided =
      condition.device_properties().empty() &&
      std::ranges::all_of(condition.names(), [&](const std::string& name) { return scope.find(name) != nullptr; });
  return is_decided && !condition.holds(scope);
}

// The texts of the entries and variables that are instantiated.
struct Instantiations {
  std::set<std::string> entries, variables;
};

void add(const KernelSpec& spec, const Scope& scope, Instantiations& all) {
  if (std::ranges::any_of(spec.rules, [&](const Expression& rule) { return is_never(rule, scope); })) return;
  const auto may_run = [&](const Step& step) { return !(step.when && is_never(*step.when, scope)); };
  for (const Step& step : spec.launch)
    if (step.kind == StepKind::launch && may_run(step)) all.entries.insert(instantiate_entry(step.entry, scope));
  const auto is_there = [&](const Argument& argument) {
    return argument.role == Role::in || std::ranges::any_of(spec.launch, [&](const Step& step) {
             return may_run(step) && use_argument({&step, 1}, argument.name);
           });
  };
  for (const Argument& argument : spec.arguments)
    if (!argument.symbol.empty() && is_there(argument)) all.variables.insert(instantiate_entry(argument.symbol, scope));
}

// Returns whether a record may answer a problem with these values: only its sizes may differ.
bool may_answer(const KernelSpec& spec, const Record& record, const Bindings& asked) {
  return std::all_of(asked.begin(), asked.end(), [&](const Binding& binding) {
    return spec.find_problem(binding.name)->kind == ProblemKind::size ||
           record.key.problem.at(binding.name) == binding.value;
  });
}

Instantiations instantiated(const HeaderTerms& terms, const ExportTables& tables) {
  Instantiations all;
  for (const Bindings& asked : type_combinations(terms.spec, terms.problems, true)) {
    const auto use = [&](std::size_t configuration) {
      add(terms.spec, {&asked, &tables.configurations[configuration], nullptr}, all);
    };
    for (const std::size_t position : tables.fall_backs) use(position);
    for (const TableRecord& row : tables.records)
      if (may_answer(terms.spec, row.record, asked)) use(row.configuration);
  }
  return all;
}

std::string lookup_code(const std::string& name, std::string_view what, const std::set<std::string>& texts) {
  std::string code = fmt::format(
      "// The address of {}.\ninline const void* {}([[maybe_unused]] std::string_view text) {{\n", what, name);
  for (const std::string& text : texts)
    code += fmt::format("  if (text == {}) return reinterpret_cast<const void*>(&{});\n", cpp_string(text), text);
  return code + "  return nullptr;\n}\n\n";
}

// Returns the C++ type of a scalar that the application passes by value; "" where it passes the address of one.
std::string scalar_type(const KernelSpec& spec, const Argument& argument) {
  if (spec.find_problem(argument.type) != nullptr) return "";
  const TypeInfo& type = type_named(argument.type);
  const bool is_plain = type.components == 1 && type.name != "half" && type.name != "bfloat16";
  return is_plain ? std::string(type.spelling) : "";
}

bool is_known(const KernelSpec& spec, const Argument& argument) {
  return argument.role == Role::scalar && (argument.value || spec.find_problem(argument.name) != nullptr);
}

bool is_passed(const KernelSpec& spec, const Argument& argument) {
  if (argument.role == Role::scratch && !argument.symbol.empty()) return false;
  return (use_argument(spec.launch, argument.name) || !argument.symbol.empty()) && !is_known(spec, argument);
}

std::string member_code(const KernelSpec& spec, const Argument& argument) {
  const std::string name = cpp_member(argument.name);
  const std::string size = argument.size ? cpp_comment(argument.size->text()) + " elements" : "";
  if (argument.role == Role::scalar) {
    const std::string type = scalar_type(spec, argument);
    return type.empty() ? fmt::format("  const void* {} = nullptr;  // the address, on the host, of one {}\n", name,
                                      argument.type)
                        : fmt::format("  {} {} = {{}};\n", type, name);
  }
  if (argument.by_value)
    return fmt::format("  const void* {} = nullptr;  // {}, {}, on the host\n", name, argument.type, size);
  const std::string_view note = argument.role == Role::scratch ? "; zeroed once, before the first launch" : "";
  return fmt::format("  {}void* {} = nullptr;  // {}, {}{}\n", argument.role == Role::in ? "const " : "", name,
                     argument.type, size, note);
}

}  // namespace

void require_templates(const KernelSpec& spec) {
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("kernel `{}` {}, which templates cannot have; {}", spec.name, what, instead));
  };
  for (const std::string& text : spec.compile.options) {
    const OptionTemplate option = parse_option(text);
    if (!option.names.empty() || option.condition) refuse(fmt::format("has the tunable option `{}`", text));
  }
  if (spec.compile.defines != Defines::none) refuse("passes values to the compiler as definitions (`defines`)");
  if (spec.compile.ignores_host_code) refuse("has host code that is ignored (`host_code`)");
  if (!spec.compile.requires_architecture.empty())
    refuse(fmt::format("has `requires = \"{}\"`", spec.compile.requires_architecture));
  for (const Argument& argument : spec.arguments)
    if (argument.role == Role::map) refuse(fmt::format("has the tensor map `{}`", argument.name));
}

std::string instantiation_code(const HeaderTerms& terms, const ExportTables& tables, const std::string& prefix) {
  const Instantiations all = instantiated(terms, tables);
  return lookup_code(prefix + "_function", "an entry that can be selected", all.entries) +
         lookup_code(prefix + "_variable", "a variable of the code", all.variables);
}

std::string launch_code(const KernelSpec& spec, const std::string& prefix) {
  std::string members, passed, arrays;
  for (const Argument& argument : spec.arguments) {
    const bool is_member = is_passed(spec, argument);
    const std::string name = "a." + cpp_member(argument.name);
    const bool is_address = argument.by_value || (argument.role == Role::scalar && scalar_type(spec, argument).empty());
    if (is_member) members += member_code(spec, argument);
    passed += fmt::format("      {},\n", !is_member ? "nullptr" : is_address ? name : "&" + name);
    arrays += fmt::format("      {},\n",
                          is_member && is_array(argument.role) ? "const_cast<void*>(" + name + ")" : "nullptr");
  }
  return fmt::format(
      "// What the application passes: addresses in device memory, of arrays as Selection::arguments tells.\n"
      "struct Arguments {{\n{}}};\n\n"
      "// Runs the steps of a selection in the order of the stream. Any thread.\n"
      "inline cudaError_t launch(const Selection& selection, [[maybe_unused]] const Arguments& a, cudaStream_t stream) "
      "{{\n  const void* const passed[] = {{\n{}  }};\n  void* const arrays[] = {{\n{}  }};\n"
      "  return detail::launch_steps(selection, passed, arrays, &::{}_function, &::{}_variable, stream);\n}}\n\n",
      members, passed, arrays, prefix, prefix);
}

std::string nvcc_options(const HeaderTerms& terms) {
  std::string options = "-std=c++17";
  for (const std::string& option : terms.spec.compile.options) options += " " + option;
  const auto uses = [&](std::string_view element) {
    const auto is_of = [&](const std::string& name) {
      const TypeInfo* const type = find_type(name);
      return type != nullptr && type->element == element;
    };
    const auto combinations = type_combinations(terms.spec, terms.problems, true);
    return std::ranges::any_of(terms.spec.arguments, [&](const Argument& one) { return is_of(one.type); }) ||
           std::ranges::any_of(combinations, [&](const Bindings& types) {
             return std::any_of(types.begin(), types.end(), [&](const Binding& binding) {
               return binding.value.is_name() && is_of(binding.value.name());
             });
           });
  };
  if (uses("half")) options += " -DATTUNE_HALF=1";
  if (uses("bfloat16")) options += " -DATTUNE_BFLOAT16=1";
  return options;
}

}  // namespace attune
