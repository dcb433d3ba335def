#include "draft/declarations.hpp"

#include <algorithm>

#include "draft/names.hpp"

namespace attune::draft {
namespace {

// Returns the position of the > that closes the < at `at`, or the number of tokens if none does.
std::size_t closing_angle(TokenSpan part, std::size_t at) {
  int brackets = 0, angles = 0;
  for (; at < part.size(); ++at) {
    brackets += step_of(part[at]);
    if (brackets > 0) continue;
    if (part[at].text == "<") ++angles;
    if (part[at].text == ">" && --angles == 0) return at;
    if (part[at].text == ";" || brackets < 0) break;
  }
  return part.size();
}

TemplateParameter template_parameter(TokenSpan part) {
  const std::size_t equals = position_of(part, "=");
  TemplateParameter parameter;
  if (equals < part.size()) parameter.default_value = text_of(part.subspan(equals + 1));
  const TokenSpan declared = part.first(equals);
  if (declared.size() < 2 || !declared.back().is_word()) return parameter;
  parameter.name = declared.back().text;
  const std::string type = text_of(declared.first(declared.size() - 1));
  parameter.type = type == "class" || type == "typename" ? "typename" : type_name(type == "auto" ? "int" : type);
  return parameter;
}

bool is_qualifier(std::string_view word) {
  constexpr std::string_view qualifiers[] = {"const",  "volatile", "__restrict__", "__restrict",        "restrict",
                                             "struct", "class",    "typename",     "__grid_constant__", "enum",
                                             "*",      "&"};
  return std::ranges::find(qualifiers, word) != std::end(qualifiers);
}

FunctionParameter function_parameter(TokenSpan part) {
  TokenSpan declared = part.first(position_of(part, "="));
  FunctionParameter parameter;
  const std::size_t bracket = std::max<std::size_t>(position_of(declared, "["), 1);
  if (bracket < declared.size()) {
    ++parameter.pointers;
    declared = declared.first(bracket);
  }
  parameter.is_const = position_of(declared, "const") < position_of(declared, "*");
  DraftTokens type;
  for (const DraftToken& token : declared) {
    if (token.text == "*") ++parameter.pointers;
    if (!is_qualifier(token.text)) type.push_back(token);
  }
  const bool ends_in_name = !declared.empty() && declared.back().is_word() && !is_qualifier(declared.back().text);
  if (ends_in_name && type.size() > 1 && type_name(type.back().text).empty()) {
    parameter.name = type.back().text;
    type.pop_back();
  }
  parameter.type = text_of(type);
  return parameter;
}

// More and longer values are not read, so that no text takes much time or memory.
constexpr std::size_t most_known = 500, most_bytes = 1000;  // bytes of tokens

TokenSpan near(TokenSpan part, std::size_t begin) {
  std::size_t end = begin;
  for (std::size_t bytes = 0; end < part.size() && (bytes += part[end].text.size()) <= most_bytes;) ++end;
  return part.subspan(begin, end - begin);
}

Texts texts_of(const std::vector<TokenSpan>& parts) {
  Texts texts;
  for (const TokenSpan part : parts) texts.push_back(text_of(part));
  return texts;
}

// Returns a text for each dimension of a value: of `dim3(a, b)`, of a variable that is one; else the value's own text.
Texts dimensions(TokenSpan value, const Definitions& known) {
  if (value.size() > 2 && value[0].text == "dim3") return texts_of(split_at_commas(inside(value, 1), true));
  const auto variable = known.find(text_of(value));
  return variable != known.end() && variable->second.size() != 1 ? variable->second : Texts{text_of(value)};
}

bool is_tripled(TokenSpan part, std::size_t at, std::string_view sign) {
  if (at + 2 >= part.size() || part[at + 1].after_blank || part[at + 2].after_blank) return false;
  return std::ranges::all_of(part.subspan(at, 3), [&](const DraftToken& token) { return token.text == sign; });
}

// Reads what is launched by the <<< at `at`: NAME or NAME<...>. Returns whether there is something.
bool read_name(TokenSpan part, std::size_t at, Launch& launch) {
  std::size_t name = at;  // behind it
  if (at > 0 && part[at - 1].text == ">") {
    int depth = 0;
    do {
      if (name == 0 || at - name > most_bytes) return false;
      --name;
      depth += part[name].text == ">" ? 1 : part[name].text == "<" ? -1 : 0;
    } while (depth > 0);
    launch.template_arguments = texts_of(split_at_commas(part.subspan(name + 1, at - name - 2), true));
  }
  if (name == 0 || !part[name - 1].is_word()) return false;
  launch.kernel = part[name - 1].text;
  return true;
}

// Notes `TYPE NAME;` behind `typedef`.
void note_type(TokenSpan part, Definitions& known) {
  const TokenSpan declared = part.first(position_of(part, ";"));
  const bool is_plain =
      std::ranges::all_of(declared, [](const DraftToken& token) { return token.is_word() || token.text == ":"; });
  if (declared.size() > 1 && is_plain)
    known[std::string(declared.back().text)] = {text_of(declared.first(declared.size() - 1))};
}

// Notes the variable that is changed at the end of a loop's head: `(k = 0; k < n; k++)`.
void note_counter(TokenSpan head, Definitions& known) {
  for (int i = 0; i < 2; ++i) head = head.subspan(std::min(position_of(head, ";") + 1, head.size()));
  const auto counter = std::ranges::find_if(head, &DraftToken::is_word);
  if (counter != head.end()) known["++" + std::string(counter->text)] = {""};
}

}  // namespace

std::optional<KernelFunction> read_declaration(TokenSpan declaration, const std::string& scope) {
  KernelFunction kernel;
  if (!declaration.empty() && declaration[0].text == "template") {
    const std::size_t end = closing_angle(declaration, 1);
    if (end >= declaration.size()) return std::nullopt;
    for (const TokenSpan part : split_at_commas(declaration.subspan(2, end - 2), true))
      kernel.template_parameters.push_back(template_parameter(part));
    declaration = declaration.subspan(end + 1);
  }
  TokenSpan list;  // the parameters: the last parentheses behind a name
  for (std::size_t at = 0; at + 1 < declaration.size(); ++at) {
    if (declaration[at + 1].text != "(") continue;
    const std::size_t end = closing(declaration, at + 1);
    if (end == declaration.size()) return std::nullopt;
    const TokenSpan inner = inside(declaration, at + 1);
    if (declaration[at].text == "__launch_bounds__") {
      if (!inner.empty()) kernel.launch_bound = text_of(split_at_commas(inner, false)[0]);
    } else if (declaration[at].is_word() && !declaration[at].text.starts_with("__")) {
      kernel.name = scope + std::string(declaration[at].text);
      list = inner;
    }
    at = end;
  }
  if (kernel.name.empty()) return std::nullopt;
  if (!(list.size() == 1 && list[0].text == "void"))
    for (const TokenSpan part : split_at_commas(list, true)) kernel.parameters.push_back(function_parameter(part));
  return kernel;
}

void note_definition(TokenSpan part, std::size_t at, Definitions& known) {
  if (!part[at].is_word() || at + 2 >= part.size() || known.size() >= most_known) return;
  const std::string name(part[at].text);
  const std::string_view before = at > 0 ? part[at - 1].text : "", next = part[at + 1].text;
  if (name == "typedef") return note_type(near(part, at + 1), known);
  if (name == "for") return note_counter(inside(near(part, at + 1), 0), known);
  if (name.starts_with("cudaMalloc") && next == "(") {
    const std::vector<TokenSpan> arguments = split_at_commas(inside(near(part, at + 1), 0), true);
    if (arguments.size() > 1 && holds(arguments[0], "&"))
      known["&" + std::string(arguments[0].back().text)] = {text_of(arguments[1])};
  }
  if (before == "." || (before == ">" && at > 1 && part[at - 2].text == "-")) return;  // a member
  if (next == "=" && part[at + 2].text != "=") {
    const TokenSpan rest = near(part, at + 2);
    const std::vector<TokenSpan> items = split_at_commas(rest.first(position_of(rest, ";")), false);
    known[name] = items.empty() ? Texts() : dimensions(items[0], known);
  } else if ((next == "(" || next == "{") && before == "dim3") {
    known[name] = texts_of(split_at_commas(inside(near(part, at + 1), 0), true));
  } else if (part[at + 2].text == "=" && std::string_view("+-*/%|&^").find(next) != std::string::npos) {
    known.erase(name);
  }
}

std::optional<Launch> read_launch(TokenSpan part, std::size_t at, const Definitions& locals) {
  Launch launch;
  if (!is_tripled(part, at, "<") || !read_name(part, at, launch)) return std::nullopt;
  const TokenSpan rest = near(part, at + 3);
  std::size_t end = 0;
  for (int depth = 0; end < rest.size() && depth >= 0 && !(depth == 0 && is_tripled(rest, end, ">")); ++end)
    depth += step_of(rest[end]);
  const std::vector<TokenSpan> terms = split_at_commas(rest.first(end), false);
  if (terms.size() < 2 || end + 3 >= rest.size() || rest[end + 3].text != "(") return std::nullopt;
  launch.grid = dimensions(terms[0], locals);
  launch.block = dimensions(terms[1], locals);
  if (terms.size() > 2) launch.shared = text_of(terms[2]);
  launch.arguments = texts_of(split_at_commas(inside(near(part, at + 3 + end + 3), 0), true));
  launch.locals = locals;
  return launch;
}

}  // namespace attune::draft
