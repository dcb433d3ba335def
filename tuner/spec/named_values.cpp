#include "spec/named_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "expression/node.hpp"
#include "spec/names.hpp"

namespace attune {
namespace {

constexpr std::size_t max_nodes = 10'000;

}  // namespace

const std::string* NamedValues::find(std::string_view name) const noexcept {
  const auto found =
      std::find_if(values_.begin(), values_.end(), [name](const auto& one) { return one.first == name; });
  return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> NamedValues::used_in(const Expression& expression) const {
  std::vector<std::string> used = expression.names();
  std::erase_if(used, [this](const std::string& name) { return find(name) == nullptr; });
  return used;
}

Expression NamedValues::expanded(const Expression& expression) const {
  if (used_in(expression).empty()) return expression;
  const std::string text = with_names_replaced(
      expression.text(),
      [this](std::string_view name) {
        const std::string* const value = find(name);
        return value == nullptr ? std::string(name) : "(" + *value + ")";
      },
      max_expression_bytes + 1);
  Expression expanded(text);
  if (const std::size_t nodes = parsed_of(expanded).nodes.size(); nodes > max_nodes)
    throw ExpressionError(
        fmt::format("with its values in their places it has {} names, numbers and operations; the most is {}", nodes,
                    max_nodes),
        0);
  return expanded;
}

}  // namespace attune
