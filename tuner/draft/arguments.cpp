// The arguments: types, sizes and roles.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <regex>
#include <set>

#include "attune/expression.hpp"
#include "base/identifier.hpp"
#include "core/type_table.hpp"
#include "draft/names.hpp"
#include "draft/parts.hpp"

namespace attune::draft {
namespace {

constexpr std::size_t longest_index = 200;  // tokens
constexpr int guessed_bytes = 16;           // of a structure

// Returns the role of an array, by how the kernel uses it: `a[i] = x` sets it; anything else than `a[i]` may.
std::string role_of(const DraftParts& parts, const FunctionParameter& parameter, std::string& mark) {
  if (parameter.is_const) return "in";
  bool is_read = false, is_set = false, may_be_set = false;
  const Texts& code = parts.kernel.code;
  const auto at = [&](std::size_t i) { return i < code.size() ? std::string_view(code[i]) : std::string_view(); };
  const auto own = static_cast<std::size_t>(std::ranges::find(code, parameter.name) - code.begin());
  for (std::size_t i = own + 1; i < code.size(); ++i) {
    if (code[i] != parameter.name) continue;
    std::size_t end = i + 1;
    for (int depth = 0; end - i < longest_index && (depth > 0 || at(end) == "["); ++end)
      depth += at(end) == "[" ? 1 : at(end) == "]" ? -1 : 0;
    const bool is_element = end > i + 1 && at(i - 1) != "&" && at(end) != ".",
               sets = is_element && at(end) == "=" && at(end + 1) != "=";
    const bool changes = at(end + 1) == "=" && std::string_view("=!<>").find(at(end)) == std::string_view::npos;
    is_read = is_read || !sets;
    is_set = is_set || (is_element && (sets || changes));
    may_be_set = may_be_set || sets || changes || !is_element;
  }
  if (may_be_set && !is_read) return "out";
  mark = is_set       ? "CHECK: its role; `out` if what was there before does not matter"
         : may_be_set ? "CHECK: its role: in, out or inout"
                      : "CHECK: its role; the kernel seems only to read it";
  return may_be_set ? "inout" : "in";
}

// Returns the elements for which the host code allocates memory: `cudaMalloc(&a, n * sizeof(float))`; "" if none tells.
std::string allocated(const DraftParts& parts, std::size_t index) {
  const std::string text = parts.expression(parts.definition("&" + parts.passed(index))).value_or("");
  static const std::regex product(
      R"((?:sizeof\([^()]*\) ?\* ?)?((?:[^()+<>?-]|\((?:[^()]|\([^()]*\))*\))+?)(?: ?\* ?sizeof\([^()]*\))?)");
  std::smatch match;
  if (text.starts_with("sizeof(") && text.find(')') == text.size() - 1) return "1";
  if (text.find("sizeof(") == std::string::npos || !std::regex_match(text, match, product)) return "";
  const std::string elements = match[1];
  if (elements.find("sizeof") != std::string::npos) return "";
  const auto is_size = [&](const std::string& name) { return std::ranges::count(parts.sizes, name) > 0; };
  try {
    return std::ranges::all_of(Expression(elements).names(), is_size) ? elements : "";
  } catch (const ExpressionError&) {
    return "";
  }
}

// Returns the type of which a template structure seems to be made: T of `Pack<T, 2>`; "" for any other.
std::string member_type(const DraftParts& parts, const std::string& spelling) {
  const std::size_t begin = spelling.find('<') + 1, end = spelling.find_first_of(",>", begin);
  return begin == 0 || end == std::string::npos ? "" : parts.type(spelling.substr(begin, end - begin));
}

std::string array_line(DraftParts& parts, std::size_t index, std::string& mark) {
  const FunctionParameter& parameter = parts.kernel.parameters[index];
  std::string type = parts.type(parameter.type), elements = allocated(parts, index);
  const std::string role = role_of(parts, parameter, mark),
                    role_mark = mark.empty() ? "" : "; " + mark.substr(std::string("CHECK: ").size());
  if (elements.empty()) {
    elements = fmt::format("{}", fmt::join(parts.sizes, " * "));
    mark = (parts.sizes.size() == 1 ? "CHECK" : "FILL IN") + (": its size" + role_mark);
  }
  if (parameter.pointers > 1) {
    type = "uint64";
    mark = "FILL IN: pointers to pointers, which attune cannot fill: give the kernel one array";
  } else if (type.empty()) {
    type = member_type(parts, parameter.type);
    if (!type.empty())
      mark = fmt::format("FILL IN: its size in {}, of which {} seems to be made{}", type, parameter.type, role_mark);
  }
  if (type.empty()) {
    type = "uint8";
    if (parameter.type != "void") {
      elements = fmt::format("{} * {}", guessed_bytes, elements);
      mark = fmt::format("FILL IN: bytes, with those of one {} in place of {}{}", parameter.type, guessed_bytes,
                         role_mark);
    }
  }
  if (role != "in") parts.outputs.push_back(type);
  return fmt::format("{{ type = {}, size = {}, role = \"{}\" }}", quoted(type), quoted(elements), role);
}

// Returns the number that the launch passes, or its constant: "0.12" of `constexpr float lambda = 0.12f`; "" if
// unknown.
std::string number_passed(const DraftParts& parts, std::size_t index) {
  static const std::regex decimal(R"((-?\d+\.?\d*(?:[eE][-+]?\d+)?)[fF]?)");
  if (const std::optional<std::int64_t> value = parts.value(parts.passed(index))) return std::to_string(*value);
  const std::string text = parts.resolved(parts.passed(index));
  std::smatch match;
  return std::regex_match(text, match, decimal) ? match[1].str() : "";
}

std::string scalar_line(const DraftParts& parts, std::size_t index, const std::string& name, std::string& mark) {
  const FunctionParameter& parameter = parts.kernel.parameters[index];
  const std::string type = parts.type(parameter.type);
  const TypeInfo* const known = find_type(type);
  if (type.empty() || (known != nullptr && known->components > 1)) {
    mark = fmt::format(
        "FILL IN: passed by value: the bytes of {} in place of {}, or {{ type = \"int32\", fill = \"0\" }} of an enum",
        parameter.type, guessed_bytes);
    return fmt::format("{{ type = \"uint8\", size = {}, role = \"in\", pass = \"value\" }}", guessed_bytes);
  }
  if (std::ranges::count(parts.sizes, name) > 0) return fmt::format("{{ type = {} }}", quoted(type));
  const bool is_counter = parts.passes_counter(index);
  std::string fill = number_passed(parts, index);
  if (fill.empty() || is_counter)
    mark = is_counter ? "CHECK: its value while tuning; the host counts it in a loop" : "CHECK: its value while tuning";
  if (fill.empty()) fill = is_counter ? "0" : "1";
  return fmt::format("{{ type = {}, fill = \"{}\" }}", quoted(type), fill);
}

}  // namespace

void draft_arguments(DraftParts& parts) {
  Texts names;
  std::set<std::string> taken;
  for (const std::vector<Line>* lines : {&parts.parameters, &parts.problem})
    for (const Line& line : *lines)
      if (std::ranges::count(parts.sizes, line.key) == 0) taken.insert(line.key);
  for (std::size_t i = 0; i < parts.kernel.parameters.size(); ++i) {
    const FunctionParameter& parameter = parts.kernel.parameters[i];
    std::string name = is_identifier(parameter.name) ? parameter.name : fmt::format("argument_{}", i + 1);
    while (!taken.insert(name).second) name += '_';
    Line line{name, "", ""};
    line.value = parameter.pointers > 0 ? array_line(parts, i, line.mark) : scalar_line(parts, i, name, line.mark);
    names.push_back(name);
    parts.arguments.push_back(std::move(line));
  }
  parts.step.push_back({"arguments", quoted_list(names), ""});
}

}  // namespace attune::draft
