#include "kernel/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/counted.hpp"
#include "base/digest.hpp"
#include "base/near_name.hpp"
#include "core/type_names.hpp"
#include "expression/assignments.hpp"

namespace attune {
namespace {

constexpr std::int64_t max_size = std::int64_t{1} << 62;

template <typename Item>
std::vector<std::string> names_of(const std::vector<Item>& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// Returns "kernel `axpy`, problem n=0".
std::string item_of(const KernelSpec& spec, std::string_view what, std::string_view name, const Value& value) {
  return fmt::format("kernel `{}`, {} {}={}", spec.name, what, name, value.text());
}

void check_type(const KernelSpec& spec, const ProblemParameter& parameter, const Value& value, EmptyProblem /*empty*/) {
  const auto& types = parameter.types;
  const bool listed = value.is_name() && std::find(types.begin(), types.end(), value.name()) != types.end();
  if (listed) return;
  throw UsageError(fmt::format("{}: expected a type that the kernel lists{}",
                               item_of(spec, "problem", parameter.name, value),
                               suggestion(own_type_name(value.text()), types)));
}

void check_choice(const KernelSpec& spec, const ProblemParameter& parameter, const Value& value,
                  EmptyProblem /*empty*/) {
  const auto& choices = parameter.choices;
  if (value.is_name() && std::find(choices.begin(), choices.end(), value.name()) != choices.end()) return;
  throw UsageError(fmt::format("{}: expected one of {}{}", item_of(spec, "problem", parameter.name, value),
                               joined(choices), suggestion(value.text(), choices)));
}

// Returns what a size of 0 means to the kernel, for a message.
std::string_view advice_on_empty(const KernelSpec& spec) {
  return spec.may_be_empty ? "; for 0 nothing is launched, so there is nothing to tune"
                           : "; if 0 is to launch nothing, write empty = \"nothing\" in [kernel]";
}

void check_integer(const KernelSpec& spec, const ProblemParameter& parameter, const Value& value, EmptyProblem empty) {
  const std::string item = item_of(spec, "problem", parameter.name, value);
  if (!value.is_integer()) {
    throw UsageError(fmt::format("{}: expected an integer such as 4096, 2**28 or 10**6", item));
  }
  if (parameter.kind != ProblemKind::size) return;
  const std::int64_t least = spec.may_be_empty && empty == EmptyProblem::allowed ? 0 : 1;
  if (value.integer() < least || value.integer() > max_size)
    throw UsageError(fmt::format("{}: expected a size from {} to 2**62{}", item, least,
                                 value.integer() == 0 ? advice_on_empty(spec) : ""));
}

auto* check_of(ProblemKind kind) {
  if (kind == ProblemKind::type) return check_type;
  return kind == ProblemKind::choice ? check_choice : check_integer;
}

// Throws UsageError that names all missing values, so that the user can give them at once.
void refuse_missing(const KernelSpec& spec, const std::vector<const ProblemParameter*>& missing) {
  if (missing.empty()) return;
  std::string names, example;
  for (const ProblemParameter* parameter : missing) {
    names += fmt::format("{}`{}`", names.empty() ? "" : ", ", parameter->name);
    example += fmt::format("{}{}={}", example.empty() ? "" : " ", parameter->name,
                           parameter->kind == ProblemKind::type ? "float" : "4096");
  }
  const bool is_one = missing.size() == 1;
  throw UsageError(fmt::format("kernel `{}`: problem {} {} {} no default; give {}, as in {}", spec.name,
                               plural(is_one, "name"), names, is_one ? "has" : "have", is_one ? "a value" : "values",
                               example));
}

double number_of(const Value& value) { return value.is_real() ? value.real() : static_cast<double>(value.integer()); }

// Returns the listed value that `wished` means: itself, or the same number written otherwise (1 for 1.0).
const Value* listed_value(const Parameter& parameter, const Value& wished) {
  const auto is_number = [](const Value& value) { return value.is_integer() || value.is_real(); };
  const auto means = [&](const Value& value) {
    if (value == wished) return true;
    return value.kind() != wished.kind() && is_number(value) && is_number(wished) &&
           number_of(value) == number_of(wished);
  };
  const auto found = std::find_if(parameter.values.begin(), parameter.values.end(), means);
  return found == parameter.values.end() ? nullptr : &*found;
}

const Parameter& known_parameter(const KernelSpec& spec, std::string_view name) {
  if (const auto* const parameter = spec.find_parameter(name)) return *parameter;
  throw UsageError(
      fmt::format("kernel `{}` has no parameter `{}`{}", spec.name, name, suggestion(name, names_of(spec.parameters))));
}

const Value& known_value(const KernelSpec& spec, const Parameter& parameter, const Value& wished) {
  if (const auto* const value = listed_value(parameter, wished)) return *value;
  std::vector<std::string> known;
  for (const auto& value : parameter.values) known.push_back(value.text());
  throw UsageError(
      fmt::format("{}: the parameter lists {}", item_of(spec, "parameter", parameter.name, wished), joined(known)));
}

}  // namespace

std::optional<Value> default_of(const ProblemParameter& parameter, std::string_view device_kind) {
  if (parameter.kind == ProblemKind::type)
    return parameter.types.empty() ? std::nullopt : std::optional(Value(parameter.types.front()));
  if (parameter.kind == ProblemKind::choice)
    return parameter.choices.empty() ? std::nullopt : std::optional(Value(parameter.choices.front()));
  const auto special = parameter.device_default.find(std::string(device_kind));
  if (special != parameter.device_default.end()) return Value(special->second);
  return parameter.default_value ? std::optional(Value(*parameter.default_value)) : std::nullopt;
}

Problem make_problem(const KernelSpec& spec, const Bindings& given, std::string_view device_kind, EmptyProblem empty) {
  for (const auto& [name, value] : given) {
    if (given.find(name) != &value)
      throw UsageError(fmt::format("kernel `{}`: the problem has `{}` twice; give it once", spec.name, name));
    if (spec.find_problem(name) != nullptr) continue;
    const std::string_view advice =
        spec.find_parameter(name) != nullptr ? " (it is a parameter, which the search chooses)" : "";
    throw UsageError(fmt::format("kernel `{}` has no problem name `{}`{}{}", spec.name, name, advice,
                                 suggestion(name, names_of(spec.problem))));
  }
  Problem problem;
  std::vector<const ProblemParameter*> missing;
  for (const auto& parameter : spec.problem) {
    const Value* const wished = given.find(parameter.name);
    const std::optional<Value> value = wished != nullptr ? std::optional(*wished) : default_of(parameter, device_kind);
    if (!value) {
      missing.push_back(&parameter);
      continue;
    }
    check_of(parameter.kind)(spec, parameter, *value, empty);
    problem.set(parameter.name, *value);
  }
  refuse_missing(spec, missing);
  return problem;
}

Problem parse_problem(const KernelSpec& spec, std::string_view text, std::string_view device_kind, EmptyProblem empty) {
  return make_problem(spec, parse_bindings(text), device_kind, empty);
}

Configuration parse_configuration(const KernelSpec& spec, std::string_view text) {
  const Bindings given = parse_bindings(text);
  for (const auto& [name, value] : given) known_value(spec, known_parameter(spec, name), value);
  Configuration configuration;
  for (const auto& parameter : spec.parameters) {
    const Value* const wished = given.find(parameter.name);
    configuration.set(parameter.name, wished != nullptr ? *listed_value(parameter, *wished) : parameter.values.front());
  }
  return configuration;
}

KernelSpec narrow(KernelSpec spec, std::string_view text) {
  auto whole = spec.whole ? spec.whole : std::make_shared<const KernelSpec>(spec);
  std::map<std::string, std::vector<Value>> kept;  // by parameter
  for (const auto& [name, values] : parse_assignments(text)) {
    const Parameter& parameter = known_parameter(spec, name);
    auto [entry, is_new] = kept.try_emplace(name);
    if (!is_new) throw UsageError(fmt::format("`{}` is given twice in `{}`", name, text));
    for (const auto& part : split_at_commas(values)) {
      const std::string item = fmt::format("{}={}", name, values);
      if (part.empty()) throw UsageError(fmt::format("`{}`: expected a value between the commas", item));
      entry->second.push_back(known_value(spec, parameter, parse_constant(part, item)));
    }
  }
  // In the kernel's own order of parameters and values, so that the same narrowing typed in another order is the same
  // space.
  std::string canonical;
  for (auto& parameter : spec.parameters) {
    const auto entry = kept.find(parameter.name);
    if (entry == kept.end()) continue;
    const auto& values = entry->second;
    const auto dropped = [&](const Value& value) {
      return std::find(values.begin(), values.end(), value) == values.end();
    };
    if (std::erase_if(parameter.values, dropped) == 0) continue;
    canonical += parameter.name + '=';
    for (const auto& value : parameter.values) canonical += value.text() + ',';
    canonical += ' ';
  }
  if (canonical.empty()) return spec;
  spec.fingerprints.space = sha256(spec.fingerprints.space + canonical);
  spec.whole = std::move(whole);
  return spec;
}

}  // namespace attune
