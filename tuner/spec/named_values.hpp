// NamedValues: the expressions of [values], and other expressions with them in their places. They live while a file is
// read: what a KernelSpec holds has none of their names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

class NamedValues {
 public:
  // Adds an expression without names of values.
  void add(std::string name, const Expression& expression) { values_.emplace_back(std::move(name), expression.text()); }
  const std::string* find(std::string_view name) const noexcept;
  // Returns the names of values in an expression, each once.
  std::vector<std::string> used_in(const Expression& expression) const;
  // Returns the expression with each name of a value replaced by its text in parentheses; unchanged where there is
  // none. Throws ExpressionError when the result has more than 10,000 nodes, or is none.
  Expression expanded(const Expression& expression) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;  // in the order of the file, with the expanded text
};

}  // namespace attune
