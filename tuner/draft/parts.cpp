#include "draft/parts.hpp"

#include <algorithm>
#include <array>

#include "draft/names.hpp"

namespace attune::draft {
namespace {

constexpr int most_aliases = 8;  // one behind the other

// Returns what a name with a dimension stands for: `block.y`.
std::string member_of(const Locals& locals, std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return "";
  const auto local = locals.find(name.substr(0, dot));
  const std::size_t index = std::string_view("xyz").find(name.substr(dot + 1));
  if (local == locals.end() || index > 2) return "";
  return index < local->second.size() ? local->second[index] : "1";
}

}  // namespace

std::optional<Meaning> Parts::meaning(const std::string& name) const {
  if (const auto known = names.find(name); known != names.end()) return Meaning{known->second, ""};
  if (launch != nullptr) {
    if (const std::string code = member_of(launch->locals, name); !code.empty()) return Meaning{"", code};
    if (const auto local = launch->locals.find(name); local != launch->locals.end() && local->second.size() == 1)
      return Meaning{"", local->second[0]};
  }
  for (const Constant& constant : file.constants)
    if (constant.name == name) return Meaning{"", constant.value};
  for (const std::string& size : sizes)
    if (plain_name(size) == plain_name(name)) return Meaning{size, ""};
  return std::nullopt;
}

std::optional<std::string> Parts::expression(const std::string& code) const {
  return translated(code, [this](const std::string& name) { return meaning(name); });
}

std::optional<std::int64_t> Parts::value(const std::string& code) const {
  const std::optional<std::string> text = expression(code);
  return text ? constant_value(*text) : std::nullopt;
}

bool Parts::is_taken(const std::string& name) const {
  const auto has = [&](const std::vector<Line>& lines) { return std::ranges::count(lines, name, &Line::key) > 0; };
  if (!is_allowed_name(name) || has(problem) || has(parameters)) return true;
  if (std::ranges::count(kernel.parameters, name, &FunctionParameter::name) > 0) return true;
  // A parameter that is passed as a macro would replace the word wherever it stands.
  const auto mentions = [&](const Kernel& other) { return other.mentions(name); };
  return has_macros &&
         (std::ranges::any_of(file.kernels, mentions) || std::ranges::count(file.constants, name, &Constant::name) > 0);
}

std::string Parts::new_name(const std::string& wanted) const {
  std::string name = is_allowed_name(wanted) || is_allowed_name(wanted + "_") ? wanted : "VALUE";
  while (is_taken(name)) name += '_';
  return name;
}

std::string Parts::type(const std::string& spelling) const {
  if (const auto known = names.find(spelling); known != names.end()) return known->second;
  std::string name = spelling;
  for (int i = 0; i < most_aliases; ++i) {
    const auto alias = file.aliases.find(name);
    if (alias == file.aliases.end()) break;
    name = alias->second;
  }
  return type_name(name);
}

bool Parts::uses(const char* variable, int dimension) const {
  const std::array<std::string, 3> wanted = {variable, ".", std::string(1, "xyz"[dimension])};
  return std::ranges::search(kernel.body, wanted).begin() != kernel.body.end();
}

bool Parts::launch_mentions(const std::string& word) const {
  if (launch == nullptr) return false;
  std::vector<std::string> texts = {launch->grid, launch->block, launch->shared};
  for (const std::string* text : {&launch->grid, &launch->block, &launch->shared})
    if (const auto local = launch->locals.find(*text); local != launch->locals.end())
      texts.insert(texts.end(), local->second.begin(), local->second.end());
  return std::ranges::any_of(texts, [&](const std::string& text) {
    const std::size_t at = text.find(word), end = at + word.size();
    return at != std::string::npos && (at == 0 || !is_part_of_name(text[at - 1])) &&
           (end == text.size() || !is_part_of_name(text[end]));
  });
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

std::string quoted_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "[" : ", ") + quoted(text);
  return list + "]";
}

}  // namespace attune::draft
