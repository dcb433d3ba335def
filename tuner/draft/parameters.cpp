// The problem and the parameters: from the template, from its launches, from macros, and from the kernel's integers.
#include <fmt/format.h>

#include <algorithm>

#include "base/identifier.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

// Returns what the launches give for a template parameter, each once; else its default.
Texts given(const DraftParts& parts, std::size_t index) {
  Texts texts;
  for (const Launch& launch : parts.file.launches)
    if (launch.kernel == last_name(parts.kernel.name) && index < launch.template_arguments.size())
      if (const std::string& text = launch.template_arguments[index]; std::ranges::count(texts, text) == 0)
        texts.push_back(text);
  const std::string& by_default = parts.kernel.template_parameters[index].default_value;
  return texts.empty() && !by_default.empty() ? Texts{by_default} : texts;
}

// Each returns what the entry gives for the parameter: a new name of the problem or the parameters, or "".
std::string draft_type(DraftParts& parts, const TemplateParameter& parameter, const Texts& texts) {
  Texts types;
  for (const std::string& text : texts)
    if (const std::string type = parts.type(text); !type.empty() && std::ranges::count(types, type) == 0)
      types.push_back(type);
  const bool is_guess = texts.empty();
  if (is_guess) types = {"float", "double"};
  if (types.empty()) return "";  // a structure, which the entry names
  const std::string name = parts.new_name(parameter.name);
  parts.problem.push_back({name, quoted_list(types), is_guess ? "CHECK: the types that you use" : ""});
  return name;
}

std::string draft_number(DraftParts& parts, const TemplateParameter& parameter, const Texts& texts) {
  const std::string given = texts.empty() ? "" : texts[0];
  if (const auto macro = parts.names.find(given); macro != parts.names.end()) return macro->second;
  const bool is_boolean = parameter.type == "bool";
  const std::optional<std::int64_t> value = parts.value(given);
  const std::string name = parts.new_name(parameter.name);
  const std::string values = is_boolean ? given == "true" ? "[true, false]" : "[false, true]"
                                        : values_around(value.value_or(16), most_threads);
  parts.parameters.push_back(
      {name, values, value || is_boolean ? "" : "FILL IN: the values; no launch of the file tells one"});
  // What the host calls the value: it then means the parameter in grid and block too.
  if (is_identifier(given)) parts.names.emplace(given, name);
  return name;
}

void draft_macros(DraftParts& parts) {
  for (const std::string& name : parts.file.macros) {
    const std::int64_t value = parts.value(name).value_or(0);
    const bool is_tuned = parts.kernel.mentions(name) && is_tunable(name) && is_allowed_name(name);
    if (!is_tuned || value < 1 || value > most_threads) continue;
    parts.parameters.push_back({name, values_around(value, most_threads), ""});
    parts.names[name] = name;
  }
  parts.has_macros = !parts.parameters.empty();
}

// Returns whether a parameter of the kernel may be a size: an integer of a name that front matter may have.
bool may_be_size(const DraftParts& parts, const FunctionParameter& parameter) {
  constexpr std::string_view types[] = {"int32", "uint32", "int64", "uint64"};
  return std::ranges::find(types, parts.type(parameter.type)) != std::end(types) && parameter.pointers == 0 &&
         is_allowed_name(parameter.name) && std::ranges::count(parts.problem, parameter.name, &Line::key) == 0;
}

// What a size is while tuning: what is known, else one of 2^24 elements, or less where there are several.
std::string size_text(std::int64_t known, bool is_alone) {
  const std::int64_t host = is_alone ? 4096 : 32, size = known > 0 ? known : is_alone ? 1 << 24 : 512;
  return size <= host ? fmt::format("{{ size = {} }}", size) : fmt::format("{{ size = {}, host = {} }}", size, host);
}

}  // namespace

void draft_parameters(DraftParts& parts) {
  draft_macros(parts);
  for (std::size_t i = 0; i < parts.kernel.template_parameters.size(); ++i) {
    const TemplateParameter& parameter = parts.kernel.template_parameters[i];
    const Texts texts = given(parts, i);
    const std::string name = parameter.type == "typename" ? draft_type(parts, parameter, texts)
                             : parameter.type.empty()     ? ""
                                                          : draft_number(parts, parameter, texts);
    if (!name.empty()) parts.names[parameter.name] = name;
    parts.template_arguments.push_back(!name.empty() ? name : !texts.empty() ? texts[0] : "");
  }
}

void draft_sizes(DraftParts& parts) {
  const std::vector<FunctionParameter>& all = parts.kernel.parameters;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (may_be_size(parts, all[i]) && !parts.passes_counter(i)) found.push_back(i);
  std::map<std::string, std::string> names;
  for (const std::size_t i : found) {
    const std::string& name = all[i].name;
    if (!may_be_size(parts, all[i])) continue;  // the second of this name
    const std::int64_t value = parts.value(parts.passed(i)).value_or(0);
    if (is_identifier(parts.passed(i))) names.emplace(parts.passed(i), name);
    parts.problem.push_back(
        {name, size_text(value, found.size() == 1), value > 0 ? "" : "CHECK: a size at which speed matters"});
    parts.sizes.push_back(name);
  }
  parts.names.merge(names);
  if (!parts.sizes.empty()) return;
  const std::string name = parts.new_name("n");
  parts.problem.push_back({name, size_text(0, true), "CHECK: the kernel takes no size; it may need none"});
  parts.sizes.push_back(name);
}

}  // namespace attune::draft
