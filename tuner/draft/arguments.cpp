// The arguments: types, sizes and roles.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/type_table.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

// How the body uses an array.
struct Use {
  int writes = 0;  // `a[i] = x`
  int others = 0;  // read, changed, or passed on
  bool passed_on = false;
};

Use use_of(const std::vector<std::string>& body, const std::string& name) {
  Use use;
  for (std::size_t at = 0; at < body.size(); ++at) {
    if (body[at] != name) continue;
    std::size_t end = at + 1;
    for (int depth = 0; end < body.size(); ++end) {
      if (body[end] == "[") ++depth;
      if (body[end] == "]" && --depth == 0) ++end;
      if (depth == 0 && (end >= body.size() || body[end] != "[")) break;
    }
    const bool is_element = end > at + 1 && end < body.size();
    const bool is_star = at > 1 && body[at - 1] == "*" && (body[at - 2] == ";" || body[at - 2] == "{");
    const bool is_set = end + 1 < body.size() && body[end] == "=" && body[end + 1] != "=";
    const bool is_address = at > 0 && body[at - 1] == "&";
    if ((is_element || is_star) && is_set)
      ++use.writes;
    else
      ++use.others;
    if (!is_element || is_address) use.passed_on = true;
    if (is_element && end + 1 < body.size() && body[end + 1] == "=" && body[end] != "=" && body[end] != "!" &&
        body[end] != "<" && body[end] != ">")
      use.passed_on = true;  // `a[i] += x`
  }
  return use;
}

std::string role_of(const Parts& parts, const FunctionParameter& parameter, std::string& mark) {
  if (parameter.is_const) return "in";
  const Use use = use_of(parts.kernel.body, parameter.name);
  if (use.others == 0) return "out";
  if (use.writes == 0 && !use.passed_on) {
    mark = "the kernel seems only to read it";
    return "in";
  }
  mark = "`out` if the kernel sets all of it and reads nothing that was there before";
  return "inout";
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

// Returns the elements of an array, as its name and those of the sizes suggest.
std::string elements_of(const Parts& parts, const FunctionParameter& parameter) {
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

std::string array_line(const Parts& parts, const FunctionParameter& parameter, std::string& mark) {
  std::string role_mark, type = parts.type(parameter.type), elements = elements_of(parts, parameter);
  const std::string role = role_of(parts, parameter, role_mark);
  mark = "CHECK: its elements are guessed" + (role_mark.empty() ? "" : ", and its role: " + role_mark);
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

std::string passed_number(const Parts& parts, std::size_t index) {
  if (parts.launch == nullptr || index >= parts.launch->arguments.size()) return "";
  const std::optional<std::int64_t> value = parts.value(parts.launch->arguments[index]);
  return value ? std::to_string(*value) : "";
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
    line.value = parameter.pointers > 0 ? array_line(parts, parameter, line.mark) : scalar_line(parts, i, line.mark);
    names.push_back(name);
    parts.arguments.push_back(std::move(line));
  }
  parts.step.push_back({"arguments", names.empty() ? "[]" : quoted_list(names), ""});
}

}  // namespace attune::draft
