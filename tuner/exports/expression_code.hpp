// Expressions as C++ functions of a generated header: one function for each distinct text, which uses arithmetic.inc
// and header/values.inc.
#pragma once

#include <map>
#include <string>

#include "attune/expression.hpp"
#include "attune/kernel_spec.hpp"

namespace attune {

class ExpressionCode {
 public:
  // `spec` must outlive this object.
  explicit ExpressionCode(const KernelSpec& spec) : spec_(spec) {}

  // Returns code for a Value of the header: a call of the expression's function, "e7(p, c, d)", or a constant. Throws
  // UsageError for an expression in the Python dialect.
  std::string call(const Expression& expression);
  // Returns the definitions of all functions that call() has named so far.
  const std::string& definitions() const noexcept { return definitions_; }

 private:
  const KernelSpec& spec_;
  std::map<std::string, std::string> calls_;  // by the expression's text
  std::string definitions_;
};

}  // namespace attune
