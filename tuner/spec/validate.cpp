#include "spec/validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/enum_texts.hpp"
#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "core/type_names.hpp"
#include "core/type_table.hpp"
#include "spec/limits.hpp"
#include "spec/names.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

constexpr std::int64_t max_size = std::int64_t{1} << 62;  // sizes: a product with sizeof stays countable
constexpr std::size_t max_kernel_name = 128;
// A search space stores the position of a value in 16 bits.
constexpr std::size_t max_values_of_parameter = std::numeric_limits<std::uint16_t>::max();

void require_few(std::size_t count, const std::string& place) {
  if (count > max_entries) throw Fault(place, fmt::format("{} entries; the most is {}", count, max_entries));
}

void validate_kernel(const KernelSpec& spec) {
  if (!is_identifier(spec.name) || spec.name.size() > max_kernel_name) {
    throw Fault("kernel.name",
                fmt::format("`{}` cannot name a kernel: expected letters, digits and `_`, at most {}, no "
                            "digit first",
                            shortened(spec.name), max_kernel_name));
  }
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; };
  if (std::all_of(spec.source.text.begin(), spec.source.text.end(), is_blank)) {
    throw Fault("kernel", "there is no source text: a kernel file holds the code after its front matter");
  }
}

void validate_types(const ProblemParameter& entry, const std::string& place) {
  if (entry.types.empty()) throw Fault(place, fmt::format("`{}` lists no type", entry.name));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < entry.types.size(); ++i) {
    const auto& type = entry.types[i];
    const auto at = fmt::format("{}[{}]", place, i);
    if (find_type(type) == nullptr) {
      throw Fault(at, fmt::format("unknown type `{}`{}", shortened(type), type_suggestion(type)));
    }
    if (!seen.insert(type).second) throw Fault(at, fmt::format("`{}` lists the type {} twice", entry.name, type));
  }
}

void validate_value(const Value& value, const std::string& place) {
  if (value.is_real() && !std::isfinite(value.real())) throw Fault(place, "a value must be finite");
  if (!value.is_name()) return;
  const auto& name = value.name();
  if (name == "true" || name == "false") throw Fault(place, fmt::format("write {} without quotes", name));
  if (is_qualified_name(name)) return;
  throw Fault(place,
              fmt::format("`{}` is no name of C++ such as `Order::rows` (for anything else declare a constant or "
                          "an alias in the code)",
                          shortened(name)));
}

void validate_choices(const ProblemParameter& entry, const std::string& place) {
  if (entry.choices.empty()) throw Fault(place, fmt::format("`{}` lists no choice", entry.name));
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < entry.choices.size(); ++i) {
    const std::string& choice = entry.choices[i];
    const auto at = fmt::format("{}[{}]", place, i);
    validate_value(Value(choice), at);
    if (find_type(choice) != nullptr)
      throw Fault(at,
                  fmt::format("{} is a type: types are listed as {} = [\"float\", \"double\"]", choice, entry.name));
    if (!seen.insert(choice).second) throw Fault(at, fmt::format("`{}` lists {} twice", entry.name, choice));
  }
}

void validate_default(const ProblemParameter& entry, std::int64_t value, const std::string& place) {
  if (entry.kind != ProblemKind::size || (value >= 1 && value <= max_size)) return;
  throw Fault(place, fmt::format("{} is no size: sizes are 1 to 2^62 (for other numbers: \"integer\")", value));
}

void validate_problem(const KernelSpec& spec) {
  std::set<std::string_view> seen;
  for (const auto& entry : spec.problem) {
    const auto place = "problem." + entry.name;
    require_new_name(entry.name, "problem entry", place);
    if (!seen.insert(entry.name).second) throw key_fault(place, fmt::format("`{}` is named twice", entry.name));
    if (entry.kind == ProblemKind::type) {
      validate_types(entry, place);
      continue;
    }
    if (entry.kind == ProblemKind::choice) {
      validate_choices(entry, place + ".choice");
      continue;
    }
    if (entry.default_value) validate_default(entry, *entry.default_value, place + ".size");
    for (const auto& [kind, value] : entry.device_default) validate_default(entry, value, place + "." + kind);
  }
  if (spec.may_be_empty &&
      std::ranges::find(spec.problem, ProblemKind::size, &ProblemParameter::kind) == spec.problem.end())
    throw Fault("kernel.empty", "[problem] has no \"size\" that could be 0: add one, or leave `empty` out");
}

void validate_values(const Parameter& parameter, const std::string& place) {
  constexpr EnumTexts<Value::Kind> kinds("a boolean", "an integer", "a real number", "a name");
  const auto& values = parameter.values;
  if (values.empty()) throw Fault(place, fmt::format("`{}` has no value: list at least one", parameter.name));
  if (values.size() > max_values_of_parameter) {
    throw Fault(place, fmt::format("`{}` has {} values; the most is {}", parameter.name, values.size(),
                                   max_values_of_parameter));
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = fmt::format("{}[{}]", place, i);
    validate_value(values[i], at);
    if (values[i].kind() != values[0].kind()) {
      throw Fault(at,
                  fmt::format("{} is {}, but {} is {}: the values of a parameter are all of one kind", values[i].text(),
                              kinds[values[i].kind()], values[0].text(), kinds[values[0].kind()]));
    }
    if (!seen.insert(values[i].text()).second) {
      throw Fault(at, fmt::format("`{}` lists {} twice", parameter.name, values[i].text()));
    }
  }
}

void validate_parameters(const KernelSpec& spec) {
  std::set<std::string_view> seen;
  for (const auto& parameter : spec.parameters) {
    const auto place = "parameters." + parameter.name;
    require_new_name(parameter.name, "parameter", place);
    if (spec.find_problem(parameter.name) != nullptr) {
      throw key_fault(place, fmt::format("`{}` is a problem name already: what the application asks for and what the "
                                         "search chooses have different names",
                                         parameter.name));
    }
    if (!seen.insert(parameter.name).second) throw key_fault(place, fmt::format("`{}` is named twice", parameter.name));
    validate_values(parameter, place);
  }
}

Configuration first_values(const KernelSpec& spec) {
  Configuration configuration;
  for (const auto& parameter : spec.parameters) configuration.set(parameter.name, parameter.values.front());
  return configuration;
}

void validate_default_configuration(const KernelSpec& spec, const Expression& rule, const Configuration& configuration,
                                    const std::string& place) {
  const auto is_problem_name = [&](const std::string& name) { return spec.find_problem(name) != nullptr; };
  if (!rule.device_properties().empty()) return;
  if (std::any_of(rule.names().begin(), rule.names().end(), is_problem_name)) return;
  const Scope scope{.configuration = &configuration};
  if (rule.holds(scope)) return;
  Bindings used;
  for (const auto& name : rule.names()) used.set(name, configuration.at(name));
  const auto result = rule.evaluate(scope);
  const auto* undefined = std::get_if<Undefined>(&result);
  throw Fault(place,
              fmt::format("the default configuration breaks the rule `{}`{}{}: the first value of every parameter "
                          "must make a legal configuration",
                          shortened(rule.text()), used.empty() ? "" : " with " + used.text(),
                          undefined == nullptr ? "" : fmt::format(" ({})", undefined->reason)));
}

void validate_rules(const KernelSpec& spec) {
  const AllowedNames allowed{.parameters = true, .device = true, .subject = "a restriction"};
  const Configuration configuration = first_values(spec);
  for (std::size_t i = 0; i < spec.rules.size(); ++i) {
    const auto place = fmt::format("restrictions.rules[{}]", i);
    require_known_names(spec, spec.rules[i], allowed, place);
    validate_default_configuration(spec, spec.rules[i], configuration, place);
  }
}

void validate_deterministic(const KernelSpec& spec) {
  if (!spec.deterministic) return;
  const std::string place = "kernel.deterministic";
  const Expression& promise = *spec.deterministic;
  require_known_names(spec, promise, {.parameters = true, .device = true, .subject = "`deterministic`"}, place);
  const bool is_open =
      std::ranges::any_of(promise.names(), [&](const std::string& name) { return spec.find_problem(name) != nullptr; });
  if (is_open || !promise.device_properties().empty()) return;
  const Configuration configuration = first_values(spec);
  const auto result = promise.evaluate({.configuration = &configuration});
  const auto* undefined = std::get_if<Undefined>(&result);
  if (undefined == nullptr ? std::get<Value>(result).is_boolean() : !promise.names().empty()) return;
  throw Fault(place, fmt::format("`{}`: expected true, false or a condition on problem and parameters{}",
                                 shortened(promise.text()),
                                 undefined == nullptr ? "" : fmt::format(" ({})", undefined->reason)));
}

void validate_formula(const KernelSpec& spec, const std::optional<Expression>& formula, const AllowedNames& allowed,
                      const std::string& place) {
  if (!formula) return;
  require_known_names(spec, *formula, allowed, place);
  if (!formula->names().empty()) return;
  const auto result = formula->evaluate({});
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    throw Fault(place, fmt::format("`{}` has no value: {}", shortened(formula->text()), undefined->reason));
  }
  const auto& value = std::get<Value>(result);
  const bool positive = (value.is_integer() && value.integer() >= 0) || (value.is_real() && value.real() >= 0);
  if (!positive) throw Fault(place, fmt::format("`{}`: expected a number of at least 0", shortened(formula->text())));
}

void validate_check(const KernelSpec& spec, const Check& check, const std::string& place) {
  const AllowedNames allowed{.subject = "a tolerance"};
  validate_formula(spec, check.absolute, allowed, place + ".absolute");
  validate_formula(spec, check.relative, allowed, place + ".relative");
  if (!check.differing) return;
  require_known_names(spec, *check.differing, allowed, place + ".differing");
  require_integer_if_constant(*check.differing, 0, place + ".differing");
}

void validate_metrics(const KernelSpec& spec) {
  const Metrics& metrics = spec.metrics;
  const AllowedNames allowed{.parameters = true, .subject = "a metric"};
  validate_formula(spec, metrics.bytes, allowed, "metrics.bytes");
  validate_formula(spec, metrics.flops, allowed, "metrics.flops");
  validate_formula(spec, metrics.items, allowed, "metrics.items");
  if (metrics.items.has_value() == !metrics.unit.empty()) {
    if (metrics.unit.empty() || is_identifier(metrics.unit)) return;
    throw Fault("metrics.unit",
                fmt::format("`{}` is no unit: expected a word such as \"points\"", shortened(metrics.unit)));
  }
  throw Fault("metrics", metrics.items ? "`items` needs `unit`, a word such as \"points\""
                                       : "`unit` goes with `items`, an expression that counts them");
}

void validate_checks(const KernelSpec& spec) {
  validate_check(spec, spec.check, "check");
  std::vector<std::string> outputs;
  for (const auto& argument : spec.arguments) {
    if (argument.role == Role::out || argument.role == Role::inout) outputs.push_back(argument.name);
  }
  for (const auto& [name, check] : spec.argument_check) {
    const auto place = "check." + name;
    if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) {
      throw key_fault(place, fmt::format("[check.{}]: `{}` is no argument of role out or inout{}", shortened(name),
                                         shortened(name), suggestion(name, outputs)));
    }
    validate_check(spec, check, place);
  }
}

}  // namespace

void validate(const KernelSpec& spec) {
  validate_kernel(spec);
  require_few(spec.problem.size(), "problem");
  require_few(spec.parameters.size(), "parameters");
  require_few(spec.arguments.size(), "arguments");
  require_few(spec.launch.size(), "launch");
  require_few(spec.verify.size(), "verify");
  require_few(spec.reference.size(), "reference");
  require_few(spec.prepare.size(), "prepare");
  validate_problem(spec);
  validate_parameters(spec);
  validate_rules(spec);
  validate_deterministic(spec);
  validate_arguments(spec);
  validate_places(spec);
  validate_steps(spec);
  validate_checks(spec);
  validate_metrics(spec);
  validate_compile_options(spec);
  require_few(spec.ladders.size(), "ladder");
  validate_ladders(spec);
}

}  // namespace attune
