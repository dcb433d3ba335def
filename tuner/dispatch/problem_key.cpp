#include "dispatch/problem_key.hpp"

#include <fmt/format.h>

#include <cstring>

#include "attune/error.hpp"
#include "base/digest.hpp"
#include "base/near_name.hpp"
#include "dispatch/argument_table.hpp"
#include "kernel/problem.hpp"

namespace attune {
namespace {

[[gnu::hot]] std::size_t index_of(const std::vector<std::string>& listed, std::string_view text) {
  std::size_t i = 0;
  while (i < listed.size() && listed[i] != text) ++i;
  return i;
}

}  // namespace

// What was read of one launch so far.
struct KeyRecipe::Reading {
  ProblemKey& key;
  unsigned known = 0;                           // a bit for each name
  std::size_t next_integer = 0, next_text = 0;  // among the places of values without a name
};

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] KeyRecipe::KeyRecipe(const KernelSpec& spec, std::string_view device_kind) : spec_(spec) {
  if (is_wide()) return;
  const std::vector<std::size_t> passed = passed_arguments(spec);
  for (const ProblemParameter& parameter : spec.problem) {
    const std::size_t place = names_.size();
    Name& name = names_.emplace_back();
    name.name = parameter.name;
    name.form = parameter.kind == ProblemKind::type     ? Form::type
                : parameter.kind == ProblemKind::choice ? Form::choice
                                                        : Form::integer;
    if (name.form != Form::integer) name.listed = name.form == Form::type ? &parameter.types : &parameter.choices;
    if (name.form != Form::type) (name.form == Form::integer ? integers_ : texts_).add(place);
    if (const std::optional<Value> value = default_of(parameter, device_kind)) {
      defaults_[place] = number_of(name, *value).value_or(0);
      with_default_ |= 1u << place;
    }
    for (std::size_t i = 0; i < passed.size(); ++i) {
      const Argument& argument = spec.arguments[passed[i]];
      const bool is_value = name.form == Form::integer && argument.role == Role::scalar && argument.name == name.name;
      const bool is_typed = name.form == Form::type && is_array(argument.role) && argument.type == name.name;
      if (is_value || is_typed) sources_.push_back({static_cast<std::uint16_t>(place), static_cast<std::uint16_t>(i)});
    }
  }
  for (std::size_t place = 0; place < names_.size(); ++place)
    if (names_[place].form == Form::type) texts_.add(place);
}

[[gnu::cold]] void KeyRecipe::expect_launches() const {
  if (is_wide())
    throw UsageError(fmt::format("kernel {} has {} names in [problem]; launches by look-up take at most {}: use plans",
                                 spec_.name, spec_.problem.size(), most_problem_names));
}

[[gnu::cold]] void KeyRecipe::fail(const std::string& what) const {
  std::string names;
  for (const Name& name : names_) names += fmt::format("{}{}", names.empty() ? "" : ", ", name.name);
  throw UsageError(fmt::format("launch of {}: {}; its problem is ({})", spec_.name, what, names));
}

[[gnu::cold]] void KeyRecipe::fail_number(const Name& name, const ProblemValue& value) const {
  if (name.form == Form::integer) fail(fmt::format("`{}` is an integer, but \"{}\" was passed", name.name, value.text));
  if (!value.is_text) fail(fmt::format("`{}` is a name, but {} was passed", name.name, value.integer));
  fail(fmt::format("`{}` is not \"{}\"{}", name.name, value.text, suggestion(value.text, *name.listed)));
}

[[gnu::cold]] void KeyRecipe::fail_twice(const Name& name, std::uint64_t one, std::uint64_t other) const {
  const auto shown = [&](std::uint64_t value) {
    return name.listed != nullptr ? (*name.listed)[value] : fmt::format("{}", static_cast<std::int64_t>(value));
  };
  fail(fmt::format("`{}` is {} in one place and {} in another", name.name, shown(one), shown(other)));
}

[[gnu::cold]] void KeyRecipe::fail_missing(unsigned known) const {
  std::size_t place = 0;
  while ((known >> place & 1) != 0) ++place;
  const Name& name = names_[place];
  fail(fmt::format("`{}` is missing: pass it in braces, {{\"{}\", ...}}{}", name.name, name.name,
                   name.form == Form::type ? ", or typed pointers" : ""));
}

std::uint64_t KeyRecipe::text_number(const Name& name, const ProblemValue& value) const {
  const bool is_text = name.form != Form::integer && value.is_text;
  const std::size_t i = is_text ? index_of(*name.listed, value.text) : 0;
  if (!is_text || i == name.listed->size()) fail_number(name, value);
  return i;
}

[[gnu::hot]] std::uint64_t KeyRecipe::type_of(const Name& name, std::string_view type, std::size_t argument) const {
  const std::size_t i = index_of(*name.listed, type);
  if (i == name.listed->size())
    fail(fmt::format("`{}` is not {}, of which argument {} is{}", name.name, type, argument + 1,
                     suggestion(type, *name.listed)));
  return i;
}

std::size_t KeyRecipe::named_place(std::string_view name) const {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (names_[i].name == name) return i;
  fail(fmt::format("there is no `{}`", name));
}

// A number without a name is the next integer. A text without a name is the next choice, and after all choices the next
// type.
inline std::size_t KeyRecipe::place_of(const ProblemValue& value, Reading& reading) const {
  if (value.name.empty()) {
    const NamePlaces& next = value.is_text ? texts_ : integers_;
    const std::size_t i = value.is_text ? reading.next_text++ : reading.next_integer++;
    if (i < next.count) return next.places[i];
    fail(value.is_text ? "too many names were passed" : "too many integers were passed");
  }
  return named_place(value.name);
}

inline void KeyRecipe::take(std::size_t place, std::uint64_t number, Reading& reading) const {
  const unsigned bit = 1u << place;
  if ((reading.known & bit) != 0 && reading.key[place] != number) fail_twice(names_[place], reading.key[place], number);
  reading.key[place] = number;
  reading.known |= bit;
}

[[gnu::hot]] ProblemKey KeyRecipe::read(std::span<const ProblemValue> values,
                                        std::span<const PlanArgument> arguments) const {
  ProblemKey key{};
  Reading reading{key};
  for (const ProblemValue& value : values) {
    const std::size_t place = place_of(value, reading);
    const Name& name = names_[place];
    const bool is_integer = name.form == Form::integer && !value.is_text;
    take(place, is_integer ? static_cast<std::uint64_t>(value.integer) : text_number(name, value), reading);
  }
  // As a rule all arrays have the same type, whose name lies at one address: it is looked up once.
  std::string_view known_type;
  std::size_t typed = names_.size();
  for (const auto& [place, i] : sources_) {
    if (i >= arguments.size()) continue;  // the wrong number of arguments is found at the launch
    const Name& name = names_[place];
    const PlanArgument& argument = arguments[i];
    if (name.form == Form::integer && argument.kind == PlanArgument::Kind::integer) {
      take(place, attune::read<std::uint64_t>(argument.bytes), reading);
    } else if (name.form == Form::type && !argument.type.empty()) {
      const bool is_known = argument.type.data() == known_type.data() && argument.type.size() == known_type.size();
      if (is_known && place == typed) continue;
      take(place, type_of(name, argument.type, i), reading);
      known_type = argument.type;
      typed = place;
    }
  }
  if (reading.known != (1u << names_.size()) - 1) fail_missing(reading.known);
  return key;
}

// Returns nothing for a value that the name does not have.
std::optional<std::uint64_t> KeyRecipe::number_of(const Name& name, const Value& value) const {
  if (name.form == Form::integer)
    return value.is_integer() ? std::optional(static_cast<std::uint64_t>(value.integer())) : std::nullopt;
  const std::size_t i = value.is_name() ? index_of(*name.listed, value.name()) : name.listed->size();
  return i < name.listed->size() ? std::optional<std::uint64_t>(i) : std::nullopt;
}

// As a rule the names stand in the order of [problem].
std::optional<ProblemKey> KeyRecipe::find_key(const Problem& given) const {
  if (is_wide()) return std::nullopt;
  ProblemKey key = defaults_;
  unsigned known = 0;
  std::size_t next = 0;
  for (const Binding& binding : given) {
    std::size_t place = next;
    if (place >= names_.size() || names_[place].name != binding.name)
      for (place = 0; place < names_.size() && names_[place].name != binding.name;) ++place;
    if (place == names_.size() || (known >> place & 1) != 0) return std::nullopt;
    const std::optional<std::uint64_t> number = number_of(names_[place], binding.value);
    if (!number) return std::nullopt;
    key[place] = *number;
    known |= 1u << place;
    next = place + 1;
  }
  const bool is_complete = (known | with_default_) == (1u << names_.size()) - 1;
  return is_complete ? std::optional(key) : std::nullopt;
}

[[gnu::cold]] ProblemKey KeyRecipe::key_of(const Problem& problem) const {
  ProblemKey key{};
  if (is_wide()) {
    const std::string digest = sha256(problem.text());
    static_assert(sizeof key == 2 * 32);
    std::memcpy(key.data(), digest.data(), sizeof key);
    return key;
  }
  for (std::size_t i = 0; i < names_.size(); ++i) key[i] = number_of(names_[i], problem.at(names_[i].name)).value();
  return key;
}

[[gnu::cold]] Problem KeyRecipe::problem_of(const ProblemKey& key) const {
  std::vector<Binding> items;
  for (std::size_t i = 0; i < names_.size(); ++i)
    items.push_back({std::string(names_[i].name), names_[i].listed == nullptr ? Value(static_cast<std::int64_t>(key[i]))
                                                                              : Value((*names_[i].listed)[key[i]])});
  return Problem(std::move(items));
}

}  // namespace attune
