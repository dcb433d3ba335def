// The names that the tests of expressions know, and tables of what expressions are worth or refused for.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "attune/expression.hpp"
#include "support/cases.hpp"

namespace attune {

inline constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

inline const Bindings& problem() {
  static const Bindings bindings = {{"n", 1000}, {"width", 8192}, {"T", "float"}, {"H", "half"}, {"zero", 0}};
  return bindings;
}

inline const Bindings& configuration() {
  static const Bindings bindings = {{"TILE", 32},     {"RATIO", 0.5}, {"FAST", true}, {"ORDER", "Order::rows"},
                                    {"least", least}, {"most", most}};
  return bindings;
}

inline const DeviceInfo& device() {
  static const DeviceInfo info = device_limits("sm_90");
  return info;
}

inline Scope scope() { return {&problem(), &configuration(), &device()}; }

inline Expression::Result evaluate(const std::string& text) { return Expression(text).evaluate(scope()); }

// A table of cells: a text, the offset where reading it fails, a part of the message.
inline void expect_failures(const std::vector<std::vector<std::string>>& table, Dialect dialect = Dialect::attune) {
  for (const auto& item : table) {
    try {
      const Expression expression(item.at(0), dialect);
      ADD_FAILURE() << item[0].substr(0, 80) << " was read as an expression";
    } catch (const ExpressionError& error) {
      EXPECT_EQ(std::to_string(error.offset), item.at(1)) << error.what();
      EXPECT_THAT(error.what(), testing::HasSubstr(item.at(2)));
    }
  }
}

}  // namespace attune
