#include "exports/cpp_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "base/enum_texts.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/substitute.hpp"

namespace attune {
namespace {

constexpr std::size_t most_comment_bytes = 4000;
// They mark the names in the text of an entry; no kernel file has these characters.
constexpr char mark_begin = '\x01', mark_end = '\x02';

Value marked(const std::string& name) { return Value(mark_begin + name + mark_end); }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

// Returns code that makes text of the value of a name.
std::string text_of_name(const KernelSpec& spec, const std::string& name) {
  if (spec.find_problem(name) != nullptr) return fmt::format("detail::source_text(p.{})", cpp_member(name));
  const Parameter* const parameter = spec.find_parameter(name);
  if (parameter == nullptr || !parameter->values.front().is_real())
    return fmt::format("detail::source_text(c.{})", cpp_member(name));
  std::string chain;  // the shortest text of each listed number
  for (const Value& value : parameter->values)
    chain += fmt::format("c.{} == {} ? \"{}\" : ", cpp_member(name), value.text(), value.text());
  return fmt::format("std::string({}\"\")", chain);
}

}  // namespace

std::string cpp_string(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const bool is_trigraph = c == '?' && literal.back() == '?';
    if (c == '"' || c == '\\' || is_trigraph) literal += '\\';
    if (is_control(c))
      literal += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else
      literal += c;
  }
  return literal + '"';
}

std::string cpp_comment(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, most_comment_bytes)) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (is_blank && (line.empty() || line.back() == ' ')) continue;
    const bool is_odd = is_control(c) || (c == '?' && line.ends_with('?'));  // no trigraphs
    line += is_blank ? ' ' : is_odd ? '.' : c == '\\' ? '/' : c;
  }
  return line;
}

std::string cpp_literal(const Value& value) {
  if (value.is_name()) return cpp_string(value.name());
  // C++ has no literal for the least integer.
  if (value.is_integer() && value.integer() == std::numeric_limits<std::int64_t>::min())
    return "-9223372036854775807 - 1";
  return value.text();
}

std::string cpp_braces(const Bindings& bindings) {
  std::string text;
  for (const Binding& binding : bindings) text += (text.empty() ? "" : ", ") + cpp_literal(binding.value);
  return "{" + text + "}";
}

std::string cpp_member(std::string_view name) {
  constexpr std::array<std::string_view, 4> taken = {"Problem", "Configuration", "Arguments", "std"};
  const std::string_view stem = name.substr(0, name.find_last_not_of('_') + 1);  // so that two names never become one
  return std::string(name) + (std::ranges::find(taken, stem) != taken.end() ? "_" : "");
}

std::string_view cpp_type(const Value& value) {
  static constexpr EnumTexts<Value::Kind> types("bool", "std::int64_t", "double", "std::string_view");
  return types[value.kind()];
}

std::string cpp_entry_text(const KernelSpec& spec, std::string_view entry) {
  Bindings names;
  for (const ProblemParameter& parameter : spec.problem) names.set(parameter.name, marked(parameter.name));
  for (const Parameter& parameter : spec.parameters) names.set(parameter.name, marked(parameter.name));
  const std::string text = instantiate_entry(entry, {&names, nullptr, nullptr});
  std::string code = "std::string()";
  for (std::size_t at = 0; at < text.size();) {
    const bool is_name = text[at] == mark_begin;
    const std::size_t end = std::min(text.find(is_name ? mark_end : mark_begin, at), text.size());
    code += " + " +
            (is_name ? text_of_name(spec, text.substr(at + 1, end - at - 1)) : cpp_string(text.substr(at, end - at)));
    at = is_name ? end + 1 : end;
  }
  return code;
}

std::string step_label(const Step& step, std::size_t position) {
  if (step.kind == StepKind::memset) return fmt::format("step {} `memset {}`", position + 1, step.memset_argument);
  return fmt::format("step {} `{}`", position + 1, step.entry);
}

}  // namespace attune
