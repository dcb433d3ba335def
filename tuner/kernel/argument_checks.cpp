#include "kernel/argument_checks.hpp"

#include <fmt/format.h>

#include "core/type_table.hpp"

namespace attune {
namespace {

// As a string literal holds it.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string argument_checks(const std::string& entry, const std::vector<PassedArgument>& arguments) {
  const std::string parameters = fmt::format("attune_arguments::Parameters<decltype(&{})>", entry),
                    shown = quoted(entry);
  std::string checks = fmt::format(
      "static_assert(attune_arguments::Counts<{}, {}::attune_count>::attune_fit, \"'{}' gets {} arguments\");\n",
      arguments.size(), parameters, shown, arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const auto& [name, element, is_array] = arguments[i];
    const std::string_view type = type_named(element).spelling;
    checks += fmt::format(
        "static_assert(attune_arguments::Types<{}, {}::attune_at<{}>>::attune_fit, "
        "\"argument '{}' ({}{}) of '{}' does not fit parameter {}\");\n",
        is_array ? fmt::format("attune_arguments::Array<{}>", type) : std::string(type), parameters, i, name,
        is_array ? "array of " : "", type, shown, i + 1);
  }
  return checks;
}

}  // namespace attune
