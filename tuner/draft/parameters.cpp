// Types of the problem and parameters: from the template, from its launches, and from macros.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/identifier.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

// Returns what the launches give for a template parameter, each once, and then its default.
std::vector<std::string> given(const Parts& parts, std::size_t index) {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& text) {
    if (!text.empty() && std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  };
  for (const Launch& launch : parts.file.launches)
    if (launch.kernel == last_name(parts.kernel.name) && index < launch.template_arguments.size())
      add(launch.template_arguments[index]);
  if (texts.empty()) add(parts.kernel.template_parameters[index].default_value);
  return texts;
}

void draft_type(Parts& parts, const TemplateParameter& parameter, const std::vector<std::string>& texts) {
  std::vector<std::string> types;
  for (const std::string& text : texts)
    if (const std::string type = parts.type(text); !type.empty() && std::ranges::count(types, type) == 0)
      types.push_back(type);
  const bool is_guess = texts.empty();
  if (is_guess) types = {"float", "double"};
  if (types.empty()) return;  // a structure, which the entry names
  const std::string name = parts.new_name(parameter.name);
  parts.problem.push_back({name, quoted_list(types), is_guess ? "CHECK: the types that you use" : ""});
  parts.names[parameter.name] = name;
}

// Adds a parameter whose first value is what the file has.
std::string add_parameter(Parts& parts, const std::string& wanted, std::vector<std::int64_t> values, std::int64_t most,
                          const std::string& mark) {
  for (const std::int64_t value : values_around(values.front(), most))
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  const std::string name = parts.new_name(wanted);
  parts.parameters.push_back({name, fmt::format("[{}]", fmt::join(values, ", ")), mark});
  return name;
}

void draft_integer(Parts& parts, const TemplateParameter& parameter, const std::vector<std::string>& texts) {
  std::vector<std::int64_t> values;
  const bool is_macro = !texts.empty() && parts.names.contains(texts[0]);
  if (is_macro) {
    parts.names[parameter.name] = parts.names[texts[0]];
    return;
  }
  for (const std::string& text : texts)
    if (const auto value = parts.value(text); value && std::ranges::count(values, *value) == 0)
      values.push_back(*value);
  const std::string mark = values.empty() ? "CHECK: no launch of the file says its value" : "";
  if (values.empty()) values = {usual_value(parameter.name)};
  const std::string name = add_parameter(parts, parameter.name, values, most_threads, mark);
  parts.names[parameter.name] = name;
  // What the host calls the value: it then means the parameter in grid and block too.
  if (!texts.empty() && !texts[0].empty() && is_letter(texts[0][0]) && std::ranges::all_of(texts[0], is_part_of_name))
    parts.names.emplace(texts[0], name);
}

void draft_boolean(Parts& parts, const TemplateParameter& parameter, const std::vector<std::string>& texts) {
  const bool first = !texts.empty() && (texts[0] == "true" || texts[0] == "1");
  const std::string name = parts.new_name(parameter.name);
  parts.parameters.push_back({name, first ? "[true, false]" : "[false, true]", ""});
  parts.names[parameter.name] = name;
}

void draft_constants(Parts& parts) {
  for (const Constant& constant : parts.file.constants) {
    const std::optional<std::int64_t> value = parts.value(constant.value);
    const bool is_used = parts.kernel.mentions(constant.name) || parts.launch_mentions(constant.name);
    if (!value || *value < 0 || *value > most_threads || !is_used || !is_tunable(constant.name)) continue;
    if (!is_allowed_name(constant.name)) continue;
    if (constant.is_macro) {
      parts.names[constant.name] = add_parameter(parts, constant.name, {*value}, most_threads, "");
      continue;
    }
    if (parts.kernel.mentions(constant.name))
      parts.notes.push_back(
          fmt::format("{0} = [{1}]  # FILL IN: to tune the constant {0}, write `#define {0} {2}` in the "
                      "file, remove the first # of this line",
                      constant.name, fmt::join(values_around(*value, most_threads), ", "), *value));
  }
}

}  // namespace

void draft_parameters(Parts& parts) {
  draft_constants(parts);
  parts.has_macros = !parts.parameters.empty();
  for (std::size_t i = 0; i < parts.kernel.template_parameters.size(); ++i) {
    const TemplateParameter& parameter = parts.kernel.template_parameters[i];
    if (parameter.name.empty()) continue;
    const std::vector<std::string> texts = given(parts, i);
    if (parameter.kind == TemplateParameter::Kind::type) draft_type(parts, parameter, texts);
    if (parameter.kind == TemplateParameter::Kind::integer) draft_integer(parts, parameter, texts);
    if (parameter.kind == TemplateParameter::Kind::boolean) draft_boolean(parts, parameter, texts);
  }
}

}  // namespace attune::draft
