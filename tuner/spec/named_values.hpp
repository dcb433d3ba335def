// NamedValues: the expressions of [values], which replace their names in other expressions. They live only while a file
// is read: expressions in a KernelSpec do not contain these names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "attune/expression.hpp"

namespace attune {

class NamedValues {
 public:
  // Adds an expression, which must not contain names of values.
  void add(std::string name, const Expression& expression) { values_.emplace_back(std::move(name), expression.text()); }
  const std::string* find(std::string_view name) const noexcept;
  // Returns the names of values in an expression, each once.
  std::vector<std::string> used_in(const Expression& expression) const;
  // Returns the expression with each name of a value replaced by the value's text in parentheses, or unchanged if it
  // has no such name. Throws ExpressionError if the result has more than 10,000 nodes or is not an expression.
  Expression expanded(const Expression& expression) const;

 private:
  std::vector<std::pair<std::string, std::string>> values_;  // each behind those that it uses, with the expanded text
};

}  // namespace attune
