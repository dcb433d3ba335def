// The arguments: types, sizes and roles.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "attune/expression.hpp"
#include "core/type_table.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

// How the body uses an array.
struct Use {
  bool is_set = false;     // `a[i] = x`
  bool is_first = true;    // nothing but a[0] and *a is set
  bool is_read = false;    // or changed: `a[i] += x`
  bool is_passed = false;  // to a function, or its address is taken
};

constexpr std::size_t longest_index = 200;  // tokens

Use use_of(const std::vector<std::string>& body, const std::string& name) {
  Use use;
  const auto at = [&](std::size_t i) { return i < body.size() ? std::string_view(body[i]) : std::string_view(); };
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i] != name) continue;
    std::size_t end = i + 1;
    const std::size_t last = std::min(body.size(), i + longest_index);
    for (int depth = 0; end < last && (depth > 0 || body[end] == "["); ++end)
      depth += body[end] == "[" ? 1 : body[end] == "]" ? -1 : 0;
    const bool is_star =
        i > 1 && body[i - 1] == "*" && (body[i - 2] == ";" || body[i - 2] == "{" || body[i - 2] == ")");
    const bool is_element = end > i + 1 || is_star,
               is_changed = at(end + 1) == "=" && std::string_view("=!<>").find(at(end)) == std::string_view::npos;
    const bool is_set = is_element && at(end) == "=" && at(end + 1) != "=";
    use.is_set = use.is_set || is_set;
    use.is_first = use.is_first && (is_star || (end == i + 4 && body[i + 2] == "0") || at(i - 2) == "atomicAdd");
    use.is_read = use.is_read || !is_set;
    use.is_passed = use.is_passed || !is_element || at(i - 1) == "&" || is_changed;
  }
  return use;
}

std::string role_of(const Parts& parts, const FunctionParameter& parameter, std::string& mark) {
  if (parameter.is_const) return "in";
  const Use use = use_of(parts.kernel.body, parameter.name);
  if (!use.is_read) return "out";
  const bool seems_const = !use.is_set && !use.is_passed;
  mark = seems_const ? "the kernel seems only to read it" : "`out` if what was there before does not matter";
  return seems_const ? "in" : "inout";
}

// Sizes that say nothing about the extent of an array.
bool is_extent(const std::string& name) {
  const std::string plain = plain_name(name);
  constexpr std::string_view no_extents[] = {"radius",     "ksize", "stride", "pitch", "iters", "steps",
                                             "iterations", "lda",   "ldb",    "ldc",   "ld"};
  return std::ranges::none_of(
      no_extents, [&](std::string_view part) { return plain == part || plain.ends_with("_" + std::string(part)); });
}

std::string size_named(const Parts& parts, const std::string& plain) {
  for (const std::string& size : parts.sizes)
    if (plain_name(size) == plain) return size;
  return "";
}

// Returns the elements for which the host code allocates memory: `cudaMalloc(&a, n * sizeof(float))`; "" if none tells.
std::string allocated(const Parts& parts, std::size_t index) {
  if (parts.launch == nullptr || index >= parts.launch->arguments.size()) return "";
  const auto bytes = parts.launch->locals.find("&" + parts.launch->arguments[index]);
  if (bytes == parts.launch->locals.end()) return "";
  std::string text = parts.expression(bytes->second[0]).value_or("");
  const std::size_t at = text.find("sizeof(");
  if (at == std::string::npos) return "";
  const std::size_t end = text.find(')', at) + 1;
  if (at == 0 && text.substr(end).starts_with(" * "))
    text.erase(0, end + 3);
  else if (end == text.size() && text.substr(0, at).ends_with(" * "))
    text.resize(at - 3);
  else
    return "";
  const std::optional<std::string> elements = parts.expression(text);
  const bool is_of_problem =
      elements && std::ranges::all_of(Expression(*elements).names(), [&](const std::string& name) {
        return std::ranges::count(parts.sizes, name) > 0;
      });
  return is_of_problem ? *elements : "";
}

// Returns the elements of an array, as its name and those of the sizes suggest.
std::string guessed_elements(const Parts& parts, const FunctionParameter& parameter) {
  const Use use = use_of(parts.kernel.body, parameter.name);
  if (!parameter.is_const && (use.is_set || use.is_passed) && use.is_first) return "1";
  const std::string m = size_named(parts, "m"), n = size_named(parts, "n"), k = size_named(parts, "k");
  const std::string plain = plain_name(parameter.name);
  if (!m.empty() && !n.empty() && !k.empty()) {
    if (plain == "a") return m + " * " + k;
    if (plain == "b") return k + " * " + n;
    if (plain == "c" || plain == "out") return m + " * " + n;
  }
  std::vector<std::string> extents;
  for (const std::string& size : parts.sizes)
    if (is_extent(size)) extents.push_back(size);
  if (extents.empty()) extents = parts.sizes;
  const bool is_flat = !parts.uses("threadIdx", 1) && !parts.uses("blockIdx", 1);
  if (extents.size() == 1 && !is_flat) extents.push_back(extents[0]);
  std::string product;
  for (const std::string& extent : extents) product += (product.empty() ? "" : " * ") + extent;
  return product;
}

constexpr int guessed_bytes = 16;  // of a structure

std::string array_line(const Parts& parts, std::size_t index, std::string& mark) {
  const FunctionParameter& parameter = parts.kernel.parameters[index];
  std::string role_mark, type = parts.type(parameter.type), elements = allocated(parts, index);
  const bool is_known = !elements.empty();
  if (!is_known) elements = guessed_elements(parts, parameter);
  const std::string role = role_of(parts, parameter, role_mark);
  if (!is_known) mark = "CHECK: its size is guessed" + (role_mark.empty() ? "" : "; its role too: " + role_mark);
  if (is_known && !role_mark.empty()) mark = "CHECK: its role: " + role_mark;
  if (type.empty() || parameter.pointers > 1) {
    type = parameter.pointers > 1 ? "uint64" : "uint8";
    if (parameter.pointers > 1)
      mark = "FILL IN: a pointer to pointers, which attune cannot fill: give the kernel one array";
    else if (parameter.type != "void")
      mark = fmt::format("FILL IN: bytes, with sizeof({}) in place of {}", parameter.type, guessed_bytes);
    if (parameter.pointers == 1 && parameter.type != "void") elements = fmt::format("{} * {}", guessed_bytes, elements);
  }
  return fmt::format("{{ type = {}, size = {}, role = \"{}\" }}", quoted(type), quoted(elements), role);
}

// Returns the number that the first launch passes, or "".
std::string passed_number(const Parts& parts, std::size_t index) {
  if (parts.launch == nullptr || index >= parts.launch->arguments.size()) return "";
  std::string code = parts.launch->arguments[index];
  if (const auto value = parts.value(code)) return std::to_string(*value);
  if (code.ends_with('f') || code.ends_with('F')) code.pop_back();
  const bool is_number = !code.empty() && code.find_first_not_of("0123456789.-") == std::string::npos;
  return is_number && code.back() != '.' && code[0] != '.' ? code : "";
}

std::string scalar_line(const Parts& parts, std::size_t index, std::string& mark) {
  const FunctionParameter& parameter = parts.kernel.parameters[index];
  const std::string type = parts.type(parameter.type);
  const TypeInfo* const known = find_type(type);
  if (type.empty() || (known != nullptr && known->components > 1)) {
    mark = fmt::format("FILL IN: passed by value: sizeof({}) in place of {}", parameter.type, guessed_bytes);
    return fmt::format("{{ type = \"uint8\", size = {}, role = \"in\", pass = \"value\" }}", guessed_bytes);
  }
  if (std::ranges::count(parts.sizes, parameter.name) > 0) return fmt::format("{{ type = {} }}", quoted(type));
  std::string number = passed_number(parts, index);
  if (number.empty()) {
    number = "1";
    mark = "CHECK: its value while tuning";
  }
  return fmt::format("{{ type = {}, fill = {} }}", quoted(type), quoted(number));
}

}  // namespace

void draft_arguments(Parts& parts) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Line& line : parts.parameters) taken.insert(line.key);
  for (const Line& line : parts.problem)
    if (std::ranges::count(parts.sizes, line.key) == 0) taken.insert(line.key);
  for (std::size_t i = 0; i < parts.kernel.parameters.size(); ++i) {
    const FunctionParameter& parameter = parts.kernel.parameters[i];
    std::string name = parameter.name.empty() ? fmt::format("argument_{}", i + 1) : parameter.name;
    for (char& c : name)
      if (!is_part_of_name(c)) c = '_';
    while (!taken.insert(name).second) name += '_';
    Line line{name, "", ""};
    line.value = parameter.pointers > 0 ? array_line(parts, i, line.mark) : scalar_line(parts, i, line.mark);
    names.push_back(name);
    parts.arguments.push_back(std::move(line));
  }
  parts.step.push_back({"arguments", names.empty() ? "[]" : quoted_list(names), ""});
}

}  // namespace attune::draft
