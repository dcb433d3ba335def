#include "kernel/argument_checks.hpp"

#include <fmt/format.h>

#include <cctype>

#include "core/type_table.hpp"

namespace attune {
namespace {

// Escapes a text for a string literal.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

// Returns an identifier that no other entry has.
std::string namespace_of(const std::string& entry) {
  std::string name = "attune_entry_";
  for (const unsigned char c : entry) name += std::isalnum(c) ? std::string(1, c) : fmt::format("_{:02x}", c);
  return name;
}

// What is passed, as a type of tuner/device/argument_checks.cuh and in words.
struct PassedType {
  std::string type, words;
};

PassedType passed_type(const PassedArgument& argument) {
  if (argument.passing == Passing::map) return {"attune_arguments::AttuneMap", "tensor map"};
  const std::string spelling(type_named(argument.element).spelling);
  if (argument.passing == Passing::scalar) return {spelling, spelling};
  if (argument.passing == Passing::values)
    return {fmt::format("attune_arguments::AttuneValues<{}, {}>", spelling, argument.count),
            fmt::format("{} {} by value", argument.count, spelling)};
  return {fmt::format("attune_arguments::AttuneArray<{}>", spelling), "array of " + spelling};
}

}  // namespace

std::string argument_checks(const std::string& entry, const std::vector<PassedArgument>& arguments, std::size_t line) {
  const std::string place = line > 0 ? fmt::format("#line {}\n", line) : "", shown = quoted(entry);
  std::string checks = fmt::format(
      "{0}namespace {1} {{ using attune_checked = attune_arguments::AttuneParameters<decltype(&{2})>;\n"
      "{0}static_assert(attune_arguments::AttuneCounts<{3}, attune_checked::attune_count>::attune_fit, "
      "\"'{4}' gets {3} arguments\");\n",
      place, namespace_of(entry), entry, arguments.size(), shown);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto [type, words] = passed_type(arguments[i]);
    checks += fmt::format(
        "{}static_assert(attune_arguments::AttuneTypes<{}, attune_checked::attune_at<{}>>::attune_fit, "
        "\"argument '{}' ({}) of '{}' does not fit parameter {}\");\n",
        place, type, i, arguments[i].name, words, shown, i + 1);
  }
  return checks + "}\n";
}

std::string variable_check(const std::string& variable, std::string_view argument, std::string_view element) {
  const std::string_view type = type_named(element).spelling;
  return fmt::format(
      "static_assert(attune_arguments::AttuneVariable<{0}, decltype({1})>::attune_fit, "
      "\"argument '{2}' (array of {0}) does not fit the variable '{3}'\");\n",
      type, variable, argument, quoted(variable));
}

}  // namespace attune
