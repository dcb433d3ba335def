#include "draft/declaration.hpp"

#include <algorithm>

#include "draft/names.hpp"

namespace attune::draft {
namespace {

std::size_t position_of(Part part, std::string_view text) {
  const auto found = std::ranges::find_if(part, [&](const Token& token) { return token.text == text; });
  return static_cast<std::size_t>(found - part.begin());
}

// Returns the position of the last word; the number of tokens if there is none.
std::size_t last_word(Part part) {
  for (std::size_t at = part.size(); at > 0; --at)
    if (part[at - 1].is_word()) return at - 1;
  return part.size();
}

TemplateParameter template_parameter(Part part) {
  const std::size_t equals = position_of(part, "=");
  TemplateParameter parameter;
  if (equals < part.size()) parameter.default_value = text_of(part.subspan(equals + 1));
  const Part declared = part.first(equals);
  const std::size_t name = last_word(declared);
  if (name == 0 || name >= declared.size()) return parameter;
  parameter.name = declared[name].text;
  const std::string type = text_of(declared.first(name));
  const std::string own = type_name(type);
  if (type == "typename" || type == "class") parameter.kind = TemplateParameter::Kind::type;
  if (type == "auto" || own.starts_with("int") || own.starts_with("uint"))
    parameter.kind = TemplateParameter::Kind::integer;
  if (own == "bool") parameter.kind = TemplateParameter::Kind::boolean;
  return parameter;
}

bool is_qualifier(std::string_view word) {
  constexpr std::string_view qualifiers[] = {"const",  "volatile", "__restrict__", "__restrict",        "restrict",
                                             "struct", "class",    "typename",     "__grid_constant__", "enum",
                                             "*",      "&"};
  return std::ranges::find(qualifiers, word) != std::end(qualifiers);
}

FunctionParameter function_parameter(Part part) {
  Part declared = part.first(position_of(part, "="));
  FunctionParameter parameter;
  const std::size_t bracket = std::max<std::size_t>(position_of(declared, "["), 1);
  if (bracket < declared.size()) {
    ++parameter.pointers;
    declared = declared.first(bracket);
  }
  parameter.is_const = position_of(declared, "const") < position_of(declared, "*");
  Tokens type;
  for (const Token& token : declared) {
    if (token.text == "*") ++parameter.pointers;
    if (!is_qualifier(token.text)) type.push_back(token);
  }
  const bool ends_in_name = !declared.empty() && declared.back().is_word() && !is_qualifier(declared.back().text);
  if (ends_in_name && type.size() > 1 && type_name(type.back().text).empty()) {
    parameter.name = type.back().text;
    type.pop_back();
  }
  for (const Token& token : type) {
    const bool is_apart = !parameter.type.empty() && token.is_word() && is_part_of_name(parameter.type.back());
    parameter.type += (is_apart ? " " : "") + std::string(token.text);
  }
  return parameter;
}

// Reads `template <...>` at the front, and removes it. Returns false if it cannot be read.
bool read_template(Part& declaration, Kernel& kernel) {
  if (declaration.empty() || declaration[0].text != "template") return true;
  const std::size_t end = closing_angle(declaration, 1);
  if (end >= declaration.size()) return false;
  for (const Part part : split_at_commas(declaration.subspan(2, end - 2), true))
    kernel.template_parameters.push_back(template_parameter(part));
  declaration = declaration.subspan(end + 1);
  return true;
}

}  // namespace

std::optional<Kernel> read_declaration(Part declaration, const std::string& scope) {
  Kernel kernel;
  for (const Token& token : declaration) kernel.declaration.emplace_back(token.text);
  if (!read_template(declaration, kernel)) return std::nullopt;
  Part list;  // the parameters: the last parentheses behind a name
  for (std::size_t at = 0; at + 1 < declaration.size(); ++at) {
    if (declaration[at + 1].text != "(") continue;
    const std::size_t end = closing(declaration, at + 1);
    if (end == declaration.size()) return std::nullopt;
    const Part inner = inside(declaration, at + 1);
    if (declaration[at].text == "__launch_bounds__") {
      for (const Part bound : split_at_commas(inner, false)) kernel.launch_bounds.push_back(text_of(bound));
    } else if (declaration[at].is_word() && !declaration[at].text.starts_with("__")) {
      kernel.name = scope + std::string(declaration[at].text);
      kernel.line = declaration[at].line;
      list = inner;
    }
    at = end;
  }
  if (kernel.name.empty()) return std::nullopt;
  if (!(list.size() == 1 && list[0].text == "void"))
    for (const Part part : split_at_commas(list, true)) kernel.parameters.push_back(function_parameter(part));
  return kernel;
}

}  // namespace attune::draft
