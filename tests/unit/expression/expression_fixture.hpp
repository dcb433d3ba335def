// The names that the tests of expressions know.
#pragma once

#include <limits>
#include <string>

#include "attune/expression.hpp"

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

}  // namespace attune
