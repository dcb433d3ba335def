// Cases for every row of the table of operations.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "expression/operations.hpp"

namespace attune {

// Writes an operation on as many of the operands as it takes: "(a) + (b)", "min(a, b)".
inline std::string written(const OperationRow& row, Dialect dialect, const std::string& a, const std::string& b,
                           const std::string& c) {
  const std::string_view word = row.written(dialect);
  if (row.level == Level::own) return fmt::format(fmt::runtime(word), "(" + a + ")", "(" + b + ")", "(" + c + ")");
  if (row.level == Level::sign) return fmt::format("{}({})", word, a);
  if (row.level < Level::function) return fmt::format("({}) {} ({})", a, word, b);
  return fmt::format("{}({}{})", word, a, row.arity == Arity::one ? "" : ", " + b);
}

// Calls check(row, dialect) for every row and each dialect that can write it.
template <typename Check>
void for_each_operation(Check check) {
  for (const OperationRow& row : operations)
    for (const Dialect dialect : {Dialect::attune, Dialect::python}) {
      if (row.written(dialect).empty()) continue;
      SCOPED_TRACE(row.name);
      check(row, dialect);
    }
}

}  // namespace attune
