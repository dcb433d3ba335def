// [[prepare]], [[launch]], [[verify]] and [[reference]]: entries, launch shapes, arguments, and names that no step
// uses.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/parameter_bytes.hpp"
#include "kernel/substitute.hpp"
#include "spec/names.hpp"
#include "spec/shortened.hpp"
#include "spec/validate.hpp"

namespace attune {
namespace {

struct StepList {
  std::string_view name;  // "launch": the section and the place
  std::span<const Step> steps;
  AllowedNames allowed;
  bool may_set_inputs = false;
  bool is_tuned = false;  // [[launch]]: its steps may have clusters, overlap and be cooperative
};

std::vector<std::string> argument_names(const KernelSpec& spec) {
  std::vector<std::string> names;
  for (const auto& argument : spec.arguments) names.push_back(argument.name);
  return names;
}

void require_argument(const KernelSpec& spec, std::string_view name, const std::string& place) {
  if (spec.find_argument(name) != nullptr) return;
  throw Fault(place,
              fmt::format("`{}` is not in [arguments]{}", shortened(name), suggestion(name, argument_names(spec))));
}

struct EntryText {
  std::string_view function;         // "transpose", perhaps with ::
  std::string_view arguments;        // between < and >
  std::size_t arguments_offset = 0;  // in the entry
};

// Returns the parts of an entry, or nothing if the text is not an entry.
std::optional<EntryText> split_entry(std::string_view entry) {
  constexpr std::string_view spaces = " \t";
  const auto trim = [&](std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    return text.substr(0, text.find_last_not_of(spaces) + 1);
  };
  if (entry.find_first_of("\n\r") != std::string_view::npos) return std::nullopt;
  const auto open = entry.find('<');
  const auto function = trim(entry.substr(0, open));
  if (!is_qualified_name(function)) return std::nullopt;
  if (open == std::string_view::npos) return EntryText{function, {}, entry.size()};
  const auto close = entry.rfind('>');
  if (close == std::string_view::npos || close < open || !trim(entry.substr(close + 1)).empty()) return std::nullopt;
  return EntryText{function, entry.substr(open + 1, close - open - 1), open + 1};
}

void validate_entry(const KernelSpec& spec, const Step& step, const AllowedNames& allowed, const std::string& place) {
  const auto at = place + ".entry";
  const auto entry = split_entry(step.entry);
  if (!entry) {
    throw Fault(at,
                fmt::format("`{}` is no entry: expected a kernel function's name, for a template with its arguments, "
                            "such as \"transpose<T, TILE>\"",
                            shortened(step.entry)));
  }
  if (allowed.parameters) return;
  for (const auto& word : names_in_entry(step.entry)) {
    if (spec.find_parameter(word) == nullptr) continue;
    throw fault_in_string(at, entry->arguments_offset + find_identifier(entry->arguments, word),
                          fmt::format("`{}` in `{}` is a parameter: {} may mention problem names only", word,
                                      shortened(step.entry), allowed.subject));
  }
}

void validate_dimensions(const KernelSpec& spec, const std::vector<Expression>& dimensions, const AllowedNames& allowed,
                         const std::string& place) {
  if (dimensions.empty() || dimensions.size() > 3) {
    throw Fault(place, fmt::format("expected 1 to 3 dimensions, found {}", dimensions.size()));
  }
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const auto at = fmt::format("{}[{}]", place, i);
    require_known_names(spec, dimensions[i], allowed, at);
    require_integer_if_constant(dimensions[i], 1, at);
  }
}

void validate_memset(const KernelSpec& spec, const Step& step, bool may_set_inputs, const std::string& place) {
  require_argument(spec, step.memset_argument, place + ".memset");
  const auto role = spec.find_argument(step.memset_argument)->role;
  if (!is_array(role) || (role == Role::in && !may_set_inputs)) {
    const std::string_view what = role == Role::in ? "an input" : role == Role::map ? "a tensor map" : "a scalar";
    throw Fault(place + ".memset", fmt::format("`{}` is {}: only out, inout and scratch arguments can be set",
                                               step.memset_argument, what));
  }
  if (spec.find_argument(step.memset_argument)->by_value)
    throw Fault(place + ".memset", fmt::format("`{}` is passed by value: only its fill sets it", step.memset_argument));
  if (step.memset_value < 0 || step.memset_value > 255) {
    throw Fault(place + ".value", fmt::format("{} is no byte: `value` is 0 to 255", step.memset_value));
  }
}

// Checks steps whose sizes are numbers: whether their parameters fit does not depend on the problem.
void validate_parameter_bytes(const KernelSpec& spec, const Step& step, const std::string& place) {
  const std::optional<Expression> bytes = parameter_bytes(spec, step);
  if (!bytes || !bytes->names().empty() || !bytes->device_properties().empty()) return;
  const Expression::Result result = bytes->evaluate({});
  const auto* const value = std::get_if<Value>(&result);
  if (value != nullptr && value->is_integer() && value->integer() > most_parameter_bytes)
    throw Fault(place, fmt::format("the parameters of this step have {} bytes; a launch takes {}", value->integer(),
                                   most_parameter_bytes));
}

void validate_launch(const KernelSpec& spec, const Step& step, const AllowedNames& allowed, const std::string& place) {
  validate_entry(spec, step, allowed, place);
  validate_dimensions(spec, step.grid, allowed, place + ".grid");
  validate_dimensions(spec, step.block, allowed, place + ".block");
  if (step.shared) {
    require_known_names(spec, *step.shared, allowed, place + ".shared");
    require_integer_if_constant(*step.shared, 0, place + ".shared");
  }
  for (std::size_t i = 0; i < step.arguments.size(); ++i) {
    require_argument(spec, step.arguments[i], fmt::format("{}.arguments[{}]", place, i));
  }
  validate_parameter_bytes(spec, step, place + ".arguments");
}

void validate_cluster(const KernelSpec& spec, const StepList& list, const Step& step, const std::string& place) {
  if (!list.is_tuned) throw Fault(place, fmt::format("only [[launch]] steps have clusters, not [[{}]]", list.name));
  validate_dimensions(spec, step.cluster, list.allowed, place);
  if (step.cluster.size() <= step.grid.size()) return;
  throw Fault(place, fmt::format("{} dimensions; the grid has {}, and each of its dimensions is cut into clusters",
                                 step.cluster.size(), step.grid.size()));
}

void validate_overlap(const KernelSpec& spec, const StepList& list, std::size_t i, const std::string& place) {
  if (!list.is_tuned) throw Fault(place, fmt::format("only [[launch]] steps overlap, not [[{}]]", list.name));
  require_known_names(spec, *list.steps[i].overlap, list.allowed, place);
  const std::string_view before = i == 0 ? "this is the first step" : "the step before is a memset";
  if (i > 0 && list.steps[i - 1].kind == StepKind::launch) return;
  throw Fault(place, fmt::format("{}: a step overlaps the launch that stands directly before it", before));
}

void validate_cooperative(const KernelSpec& spec, const StepList& list, const Step& step, const std::string& place) {
  if (!list.is_tuned) throw Fault(place, fmt::format("only [[launch]] steps are cooperative, not [[{}]]", list.name));
  require_known_names(spec, *step.cooperative, list.allowed, place);
}

void validate_list(const KernelSpec& spec, const StepList& list) {
  for (std::size_t i = 0; i < list.steps.size(); ++i) {
    const auto& step = list.steps[i];
    const auto place = fmt::format("{}[{}]", list.name, i);
    if (step.when) require_known_names(spec, *step.when, list.allowed, place + ".when");
    if (step.kind == StepKind::memset) {
      validate_memset(spec, step, list.may_set_inputs, place);
    } else {
      validate_launch(spec, step, list.allowed, place);
      if (!step.cluster.empty()) validate_cluster(spec, list, step, place + ".cluster");
      if (step.overlap) validate_overlap(spec, list, i, place + ".overlap");
      if (step.cooperative) validate_cooperative(spec, list, step, place + ".cooperative");
    }
  }
}

void validate_use(const KernelSpec& spec) {
  for (const auto& argument : spec.arguments) {
    const auto& name = argument.name;
    const bool launched = use_argument(spec, spec.launch, name), verified = use_argument(spec, spec.verify, name),
               referred = use_argument(spec.reference, name), prepared = use_argument(spec.prepare, name);
    const auto place = "arguments." + name;
    if (argument.role == Role::map && (referred || prepared))
      throw key_fault(place, fmt::format("`{}` is a tensor map, which belongs to a configuration: {} steps take its "
                                         "array `{}`",
                                         name, referred ? "[[reference]]" : "[[prepare]]", argument.tiles->array));
    const bool output = argument.role == Role::out || argument.role == Role::inout;
    if (output && !launched && !verified) {
      throw key_fault(
          place, fmt::format("no [[launch]] step uses the output `{}`: pass it to the kernel that writes it", name));
    }
    if (output && !spec.reference.empty() && !referred && !verified) {
      throw key_fault(place, fmt::format("no [[reference]] step uses the output `{}`: it could not be checked", name));
    }
    const bool is_seed = argument.fill && argument.fill->kind == FillKind::seed;
    if (is_seed && (launched || verified || referred)) {
      throw Fault(place + ".fill", fmt::format("`{}` is the seed of the data: only [[prepare]] steps take it", name));
    }
    const bool is_read_by_code = argument.role == Role::in && !argument.symbol.empty();
    if (launched || verified || referred || prepared || is_read_by_code) continue;
    throw key_fault(
        place, fmt::format("no step uses the argument `{}`: name it in the `arguments` of a step, or remove it", name));
  }
}

// [[verify]] steps may bring one output into the form of another output, which is then the one that the reference
// gives.
void validate_comparison(const KernelSpec& spec) {
  if (spec.verify.empty()) return;
  const bool compares = std::any_of(spec.arguments.begin(), spec.arguments.end(), [&](const Argument& argument) {
    return (argument.role == Role::out || argument.role == Role::inout) && use_argument(spec.reference, argument.name);
  });
  if (!compares)
    throw Fault("reference",
                "no [[reference]] step uses an output, so nothing would be compared: let one give what "
                "[[verify]] brings the result into");
}

}  // namespace

void validate_steps(const KernelSpec& spec) {
  const AllowedNames of_launch{.parameters = true, .device = true, .subject = "a launch step"};
  validate_list(spec, {"prepare", spec.prepare, {.device = true, .subject = "a [[prepare]] step"}, true});
  validate_list(spec, {"launch", spec.launch, of_launch, false, true});
  validate_list(spec, {"verify", spec.verify, {.parameters = true, .device = true, .subject = "a [[verify]] step"}});
  if (!spec.verify.empty() && spec.reference.empty())
    throw Fault("verify", "[[verify]] needs [[reference]] steps: they give what its result is compared with");
  validate_list(spec, {"reference", spec.reference, {.device = true, .subject = "a [[reference]] step"}});
  const auto launches = [](const Step& step) { return step.kind == StepKind::launch; };
  if (std::none_of(spec.launch.begin(), spec.launch.end(), launches)) {
    throw Fault("launch", "no [[launch]] step has an `entry`: there is no kernel to tune");
  }
  validate_use(spec);
  validate_comparison(spec);
}

}  // namespace attune
