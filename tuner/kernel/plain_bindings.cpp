#include "kernel/plain_bindings.hpp"

#include <charconv>
#include <string>

namespace attune {
namespace {

// Takes "name=" from the front of `text`, after a space where it is not the first. Returns whether it stood there.
bool take_name(std::string_view& text, const std::string& name, bool is_first) {
  if (!is_first) {
    if (!text.starts_with(' ')) return false;
    text.remove_prefix(1);
  }
  if (!text.starts_with(name) || text.substr(name.size(), 1) != "=") return false;
  text.remove_prefix(name.size() + 1);
  return true;
}

// Takes one of the values from the front: names may hold spaces, so the longest that fits.
template <typename Values, typename TextOf>
std::optional<Value> take_listed(std::string_view& text, const Values& values, const TextOf& text_of) {
  std::optional<Value> found;
  std::size_t length = 0;
  for (const auto& value : values) {
    const std::string shown = text_of(value);
    const bool fits = text.starts_with(shown) && (text.size() == shown.size() || text[shown.size()] == ' ');
    if (!fits || (found && shown.size() <= length)) continue;
    found = Value(value);
    length = shown.size();
  }
  text.remove_prefix(length);
  return found;
}

std::optional<Value> take_integer(std::string_view& text) {
  std::int64_t value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return Value(value);
}

std::optional<Value> take_value(std::string_view& text, const ProblemParameter& parameter) {
  const auto as_is = [](const std::string& name) { return name; };
  switch (parameter.kind) {
    case ProblemKind::type:
      return take_listed(text, parameter.types, as_is);
    case ProblemKind::choice:
      return take_listed(text, parameter.choices, as_is);
    default:
      return take_integer(text);
  }
}

std::optional<Value> take_value(std::string_view& text, const Parameter& parameter) {
  return take_listed(text, parameter.values, [](const Value& value) { return value.text(); });
}

template <typename Result, typename Parameters>
std::optional<Result> read(const Parameters& parameters, std::string_view text) {
  std::vector<Binding> items;
  for (const auto& parameter : parameters) {
    if (!take_name(text, parameter.name, items.empty())) return std::nullopt;
    std::optional<Value> value = take_value(text, parameter);
    if (!value) return std::nullopt;
    items.push_back({parameter.name, *std::move(value)});
  }
  if (!text.empty()) return std::nullopt;
  return Result(std::move(items));
}

}  // namespace

std::optional<Problem> problem_of_text(const KernelSpec& spec, std::string_view text) {
  return read<Problem>(spec.problem, text);
}

std::optional<Configuration> configuration_of_text(const KernelSpec& spec, std::string_view text) {
  return read<Configuration>(spec.parameters, text);
}

}  // namespace attune
