// [arguments] that are not ordinary arrays in device memory: `place` and `symbol`.
#include <fmt/format.h>

#include <algorithm>

#include "base/identifier.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/substitute.hpp"
#include "spec/names.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

void validate_mapped(const KernelSpec& spec, const Argument& argument) {
  const auto place = "arguments." + argument.name + ".place";
  if (!is_array(argument.role) || argument.role == Role::scratch) {
    const std::string_view what = argument.role == Role::scalar ? "a scalar"
                                  : argument.role == Role::map  ? "a tensor map"
                                                                : "scratch memory of the plan";
    throw Fault(place, fmt::format("`{}` is {}: only in, out and inout arrays are mapped", argument.name, what));
  }
  if (!argument.mapped_where) return;
  constexpr std::string_view before_condition = "mapped if ";
  require_known_names(spec, *argument.mapped_where, AllowedNames{.subject = "the condition of a place"}, place,
                      before_condition.size());
}

// Returns whether the text names a variable: "d_filter", "filter::weights<T>".
bool is_variable(std::string_view text) {
  const auto open = text.find('<');
  return is_qualified_name(text.substr(0, open)) && (open == std::string_view::npos || text.ends_with('>'));
}

void validate_symbol(const KernelSpec& spec, const Argument& argument) {
  const auto place = "arguments." + argument.name + ".symbol";
  if (argument.role != Role::in && argument.role != Role::scratch)
    throw Fault(place,
                fmt::format("`{}` has a symbol, so its role is \"in\": the variable is set before the launch; or "
                            "\"scratch\": a step writes it",
                            argument.name));
  if (!is_variable(argument.symbol)) {
    throw Fault(place, fmt::format("`{}` is no variable: expected the name of a `__constant__` or `__device__` array "
                                   "of the code, such as \"d_filter\" or \"filter<T>\"",
                                   shortened(argument.symbol)));
  }
  for (const auto& word : names_in_entry(argument.symbol)) {
    if (spec.find_parameter(word) == nullptr) continue;
    throw Fault(place, fmt::format("`{}` in `{}` is a parameter: a symbol may mention problem names only, since every "
                                   "image has the variable",
                                   word, shortened(argument.symbol)));
  }
  const auto same = [&](const Argument& other) { return other.symbol == argument.symbol; };
  if (std::count_if(spec.arguments.begin(), spec.arguments.end(), same) > 1)
    throw Fault(place, fmt::format("two arguments have the symbol `{}`", shortened(argument.symbol)));
}

void refuse_use(const Argument& argument, const std::vector<Step>& steps, std::string_view list) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!use_argument({&steps[i], 1}, argument.name)) continue;
    throw Fault(fmt::format("{}[{}].{}", list, i, steps[i].kind == StepKind::memset ? "memset" : "arguments"),
                fmt::format("`{0}` is no kernel parameter: the code reads its variable `{1}`. Leave it out here",
                            argument.name, shortened(argument.symbol)));
  }
}

}  // namespace

void validate_places(const KernelSpec& spec) {
  for (const auto& argument : spec.arguments) {
    if (argument.is_mapped) validate_mapped(spec, argument);
    if (argument.symbol.empty()) continue;
    validate_symbol(spec, argument);
    if (argument.role == Role::scratch) continue;
    refuse_use(argument, spec.launch, "launch");
    refuse_use(argument, spec.verify, "verify");
    refuse_use(argument, spec.reference, "reference");
  }
}

}  // namespace attune
