#include "worker/callable_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "attune/error.hpp"
#include "base/digest.hpp"
#include "base/identifier.hpp"
#include "base/near_name.hpp"
#include "base/usable_processors.hpp"
#include "device/host/host_info.hpp"

namespace attune {
namespace {

constexpr std::size_t longest_name = 128;

void refuse_if(bool is_wrong, const Tunable& tunable, const std::string& why) {
  if (is_wrong) throw UsageError(fmt::format("tunable `{}`: {}", tunable.name, why));
}

// Names travel to workers within texts in which blanks separate.
void check_value(const Tunable& tunable, const std::string& name, const Value& value) {
  const auto is_blank = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  refuse_if(value.is_name() && (value.name().empty() || std::ranges::any_of(value.name(), is_blank)), tunable,
            fmt::format("{}=\"{}\": a name has one character or more, and no blanks", name, value.text()));
}

void check_name(const Tunable& tunable, const std::string& name, std::vector<std::string>& known) {
  refuse_if(!is_identifier(name), tunable, fmt::format("`{}` is no name ([A-Za-z_][A-Za-z0-9_]*)", name));
  refuse_if(std::ranges::find(known, name) != known.end(), tunable, fmt::format("`{}` stands for two things", name));
  known.push_back(name);
}

void check(const Tunable& tunable) {
  refuse_if(!is_identifier(tunable.name) || tunable.name.size() > longest_name, tunable,
            "a tunable has a name like [A-Za-z_][A-Za-z0-9_]*, of 128 characters at most");
  refuse_if(tunable.version.empty(), tunable, "it needs a `version`, which changes when the work changes");
  refuse_if(!tunable.make, tunable, "it needs `make`, or tune() a callable");
  std::vector<std::string> known;
  for (const Binding& entry : tunable.problem) {
    check_name(tunable, entry.name, known);
    check_value(tunable, entry.name, entry.value);
  }
  for (const Parameter& parameter : tunable.parameters) {
    check_name(tunable, parameter.name, known);
    refuse_if(parameter.values.empty(), tunable, fmt::format("`{}` has no values", parameter.name));
    for (const Value& value : parameter.values) check_value(tunable, parameter.name, value);
  }
}

std::string kind_text(const Value& value) { return std::to_string(static_cast<int>(value.kind())); }

bool is_size(const Value& value) { return value.is_integer() && value.integer() > 0; }

ProblemKind kind_of_entry(const Value& value) {
  if (is_size(value)) return ProblemKind::size;
  return value.is_integer() ? ProblemKind::integer : ProblemKind::choice;
}

Fingerprints fingerprints_of(const Tunable& tunable) {
  Digest code, contract, space;
  code.add("attune callable 1").add(tunable.name).add(tunable.version);
  contract.add("attune callable 1");
  for (const auto& [name, value] : tunable.problem) contract.add(name).add(kind_text(value));
  space.add("attune callable 1");
  for (const Parameter& parameter : tunable.parameters) {
    space.add(parameter.name).add(std::to_string(parameter.values.size()));
    for (const Value& value : parameter.values) space.add(kind_text(value)).add(value.text());
  }
  for (const std::string& rule : tunable.rules) space.add(rule);
  return {code.hex(), contract.hex(), space.hex()};
}

template <typename Number>
Value number_of(std::string_view text) {
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size()) throw Error(fmt::format("`{}` is no number", text));
  return number;
}

Value value_of(std::string_view text, Value::Kind kind) {
  switch (kind) {
    case Value::Kind::boolean:
      return text == "true";
    case Value::Kind::integer:
      return number_of<std::int64_t>(text);
    case Value::Kind::real:
      return number_of<double>(text);
    case Value::Kind::name:
      break;
  }
  return text;
}

}  // namespace

KernelSpec callable_spec(const Tunable& tunable) {
  check(tunable);
  KernelSpec spec;
  spec.name = tunable.name;
  for (const auto& [name, value] : tunable.problem) {
    ProblemParameter& entry = spec.problem.emplace_back();
    entry.name = name;
    entry.kind = kind_of_entry(value);
  }
  spec.parameters = tunable.parameters;
  for (const std::string& rule : tunable.rules) spec.rules.emplace_back(rule);
  spec.fingerprints = fingerprints_of(tunable);
  return spec;
}

DeviceInfo callable_device(const Tunable& tunable) {
  DeviceInfo device = tunable.device ? tunable.device() : host_device_info(static_cast<int>(usable_processors()));
  device.kind = callable_kind;
  return device;
}

Problem callable_problem(const Tunable& tunable, const Bindings& given) {
  Problem problem = tunable.problem;
  std::vector<std::string> names;
  for (const Binding& entry : problem) names.push_back(entry.name);
  for (const auto& [name, value] : given) {
    const Value* const usual = tunable.problem.find(name);
    refuse_if(usual == nullptr, tunable, fmt::format("the problem has no `{}`{}", name, suggestion(name, names)));
    const bool is_kind = value.kind() == usual->kind() && is_size(value) == is_size(*usual);
    refuse_if(!is_kind, tunable, fmt::format("{}={}: expected a value like {}", name, value.text(), usual->text()));
    check_value(tunable, name, value);
    problem.set(name, value);
  }
  return problem;
}

Bindings decoded(const std::string& text, const Bindings& like) {
  std::vector<Binding> read;
  std::string_view rest = text;
  for (const auto& [name, value] : like) {
    std::string_view item = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    if (!item.starts_with(name + "=")) throw Error(fmt::format("`{}` has no {} at its place", text, name));
    item.remove_prefix(name.size() + 1);
    read.push_back({name, value_of(item, value.kind())});
  }
  return Bindings(std::move(read));
}

}  // namespace attune
