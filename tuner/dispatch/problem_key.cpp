#include "dispatch/problem_key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "attune/error.hpp"
#include "core/near_name.hpp"
#include "dispatch/argument_table.hpp"

namespace attune {
namespace {

std::size_t index_of(const std::vector<std::string>& listed, std::string_view text) {
  std::size_t i = 0;
  while (i < listed.size() && listed[i] != text) ++i;
  return i;
}

}  // namespace

// What is known so far of one launch.
struct KeyRecipe::Reading {
  ProblemKey key{};
  unsigned known = 0;                                    // a bit for each name
  std::size_t next_integer = 0, next_text = 0, turn = 0;  // where the search for the next place begins
};

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] KeyRecipe::KeyRecipe(const KernelSpec& spec) : spec_(spec) {
  if (spec.problem.size() > most_problem_names)
    throw UsageError(fmt::format("kernel {} has {} names in [problem]; launches by look-up take at most {}: use plans",
                                 spec.name, spec.problem.size(), most_problem_names));
  const std::vector<std::size_t> passed = passed_arguments(spec);
  for (const ProblemParameter& parameter : spec.problem) {
    Name& name = names_.emplace_back();
    name.name = parameter.name;
    name.form = parameter.kind == ProblemKind::type     ? Form::type
                : parameter.kind == ProblemKind::choice ? Form::choice
                                                        : Form::integer;
    if (name.form != Form::integer) name.listed = name.form == Form::type ? &parameter.types : &parameter.choices;
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const Argument& argument = spec.arguments[passed[i]];
      const bool is_value = name.form == Form::integer && argument.role == Role::scalar && argument.name == name.name;
      const bool is_typed = name.form == Form::type && is_array(argument.role) && argument.type == name.name;
      if (is_value || is_typed) name.arguments.push_back(i);
    }
  }
}

void KeyRecipe::fail(const std::string& what) const {
  std::string names;
  for (const Name& name : names_) names += fmt::format("{}{}", names.empty() ? "" : ", ", name.name);
  throw UsageError(fmt::format("launch of {}: {}; its problem is ({})", spec_.name, what, names));
}

std::uint64_t KeyRecipe::number_of(const Name& name, const ProblemValue& value) const {
  if (name.form == Form::integer) {
    if (value.is_text) fail(fmt::format("`{}` is an integer, but \"{}\" was passed", name.name, value.text));
    return static_cast<std::uint64_t>(value.integer);
  }
  if (!value.is_text) fail(fmt::format("`{}` is a name, but {} was passed", name.name, value.integer));
  const std::size_t i = index_of(*name.listed, value.text);
  if (i == name.listed->size())
    fail(fmt::format("`{}` is not \"{}\"{}", name.name, value.text, suggestion(value.text, *name.listed)));
  return i;
}

// A value without a name is the next integer. A text is the next choice, and after those the next type.
std::size_t KeyRecipe::place_of(const ProblemValue& value, Reading& reading) const {
  if (!value.name.empty()) {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i].name == value.name) return i;
    fail(fmt::format("there is no `{}`", value.name));
  }
  const auto next = [&](std::size_t& from, Form form) {
    while (from < names_.size() && names_[from].form != form) ++from;
    return from < names_.size() ? from++ : names_.size();
  };
  std::size_t place = names_.size();
  if (!value.is_text) {
    place = next(reading.next_integer, Form::integer);
  } else {
    if (reading.turn == 0) place = next(reading.next_text, Form::choice);
    if (place == names_.size()) {
      if (reading.turn++ == 0) reading.next_text = 0;
      place = next(reading.next_text, Form::type);
    }
  }
  if (place == names_.size()) fail(value.is_text ? "too many names were passed" : "too many integers were passed");
  return place;
}

void KeyRecipe::take(const Name& name, std::size_t place, std::uint64_t number, Reading& reading) const {
  const unsigned bit = 1u << place;
  if ((reading.known & bit) != 0 && reading.key[place] != number) {
    const auto shown = [&](std::uint64_t value) {
      return name.listed != nullptr ? (*name.listed)[value] : fmt::format("{}", static_cast<std::int64_t>(value));
    };
    fail(fmt::format("`{}` is {} in one place and {} in another", name.name, shown(reading.key[place]), shown(number)));
  }
  reading.key[place] = number;
  reading.known |= bit;
}

ProblemKey KeyRecipe::read(std::span<const ProblemValue> values, std::span<const PlanArgument> arguments) const {
  Reading reading;
  for (const ProblemValue& value : values) {
    const std::size_t place = place_of(value, reading);
    take(names_[place], place, number_of(names_[place], value), reading);
  }
  for (std::size_t place = 0; place < names_.size(); ++place) {
    const Name& name = names_[place];
    std::string_view known_type;  // of the argument before: as a rule all have the same, of one place in memory
    for (const std::size_t i : name.arguments) {
      if (i >= arguments.size()) continue;  // the wrong number of arguments is found at the launch
      const PlanArgument& argument = arguments[i];
      if (name.form == Form::integer && argument.kind == PlanArgument::Kind::integer) {
        std::uint64_t number = 0;
        std::memcpy(&number, argument.bytes.data(), sizeof number);
        take(name, place, number, reading);
      } else if (name.form == Form::type && !argument.type.empty()) {
        if (argument.type.data() == known_type.data() && argument.type.size() == known_type.size()) continue;
        known_type = argument.type;
        const std::size_t type = index_of(*name.listed, argument.type);
        if (type == name.listed->size())
          fail(fmt::format("`{}` is not {}, of which argument {} is{}", name.name, argument.type, i + 1,
                           suggestion(argument.type, *name.listed)));
        take(name, place, type, reading);
      }
    }
    if ((reading.known & 1u << place) == 0)
      fail(fmt::format("`{}` is missing: pass it in braces, {{\"{}\", ...}}{}", name.name, name.name,
                       name.form == Form::type ? ", or typed pointers" : ""));
  }
  return reading.key;
}

[[gnu::cold]] ProblemKey KeyRecipe::key_of(const Problem& problem) const {
  ProblemKey key{};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const Value& value = problem.at(names_[i].name);
    key[i] = value.is_integer() ? static_cast<std::uint64_t>(value.integer()) : index_of(*names_[i].listed, value.name());
  }
  return key;
}

[[gnu::cold]] Problem KeyRecipe::problem_of(const ProblemKey& key) const {
  std::vector<Binding> items;
  for (std::size_t i = 0; i < names_.size(); ++i)
    items.push_back({std::string(names_[i].name), names_[i].listed == nullptr
                                                      ? Value(static_cast<std::int64_t>(key[i]))
                                                      : Value((*names_[i].listed)[key[i]])});
  return Problem(std::move(items));
}

}  // namespace attune
