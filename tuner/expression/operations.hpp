// The operations of expressions, in one table. Each row names a kind of node and the function that computes its value.
// That function is in arithmetic.inc, which exported headers have too, or in python_arithmetic.hpp if only the Python
// dialect has the operation. Parsers read words.hpp, which is computed from the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "attune/expression.hpp"
#include "expression/operand.hpp"

namespace attune {

// The place of an operation in the grammar: operators from the loosest to the tightest, then functions.
enum class Level : std::uint8_t {
  own,  // the parsers have code of their own for it
  comparison,
  python_comparison,  // its operands may be names
  bit_or,
  bit_and,
  shift,
  sum,
  product,
  sign,
  power,
  function,
  type_function,  // its operand is a type
};

// How many operands an operation takes. With more than two, it is applied to the first two, then to the result and the
// next.
enum class Arity : std::uint8_t { one = 1, two, two_or_more };

// Rows are in the order of levels. Functions are found and suggested in this order.
// Lazy operations have a list, or do not evaluate all their operands first: expression.cpp evaluates them.
// F(name, how attune's dialect writes it, how the Python dialect writes it); "": the dialect lacks it.
#define ATTUNE_LAZY_OPERATIONS(F)                       \
  F(conditional, "{} ? {} : {}", "{1} if {0} else {2}") \
  F(logical_or, "{} || {}", "{} or {}")                 \
  F(logical_and, "{} && {}", "{} and {}")               \
  F(is_in, "{} in [{}, {}]", "")                        \
  F(is_not_in, "{} not in [{}, {}]", "")                \
  F(python_in, "", "{} in [{}, {}]")                    \
  F(python_not_in, "", "{} not in [{}, {}]")            \
  F(subscript, "", "[{1}, {2}][{0}]")
// Strict operations apply their function to the values of all operands.
// F(name, arity, level, how attune's dialect writes it, how the Python dialect writes it)
#define ATTUNE_STRICT_OPERATIONS(F)                         \
  F(equal, two, comparison, "==", "==")                     \
  F(unequal, two, comparison, "!=", "!=")                   \
  F(less, two, comparison, "<", "<")                        \
  F(less_equal, two, comparison, "<=", "<=")                \
  F(greater, two, comparison, ">", ">")                     \
  F(greater_equal, two, comparison, ">=", ">=")             \
  F(python_equal, two, python_comparison, "", "==")         \
  F(python_unequal, two, python_comparison, "", "!=")       \
  F(python_less, two, python_comparison, "", "<")           \
  F(python_less_equal, two, python_comparison, "", "<=")    \
  F(python_greater, two, python_comparison, "", ">")        \
  F(python_greater_equal, two, python_comparison, "", ">=") \
  F(bit_or, two, bit_or, "|", "|")                          \
  F(bit_and, two, bit_and, "&", "&")                        \
  F(shift_left, two, shift, "<<", "<<")                     \
  F(shift_right, two, shift, ">>", ">>")                    \
  F(add, two, sum, "+", "+")                                \
  F(subtract, two, sum, "-", "-")                           \
  F(multiply, two, product, "*", "*")                       \
  F(divide, two, product, "/", "")                          \
  F(remainder, two, product, "%", "")                       \
  F(true_divide, two, product, "", "/")                     \
  F(floor_divide, two, product, "", "//")                   \
  F(floor_remainder, two, product, "", "%")                 \
  F(negate, one, sign, "-", "-")                            \
  F(plus, one, sign, "+", "+")                              \
  F(logical_not, one, sign, "!", "")                        \
  F(power, two, power, "**", "")                            \
  F(python_power, two, power, "", "**")                     \
  F(minimum, two_or_more, function, "min", "")              \
  F(maximum, two_or_more, function, "max", "")              \
  F(absolute, one, function, "abs", "abs")                  \
  F(square_root, one, function, "sqrt", "")                 \
  F(floor, one, function, "floor", "")                      \
  F(ceil, one, function, "ceil", "")                        \
  F(ceil_div, two, function, "ceil_div", "")                \
  F(round_up, two, function, "round_up", "")                \
  F(log2, one, function, "log2", "")                        \
  F(is_pow2, one, function, "is_pow2", "")                  \
  F(to_real, one, function, "", "float")                    \
  F(truncate, one, function, "", "int")                     \
  F(python_maximum, two_or_more, function, "", "max")       \
  F(python_minimum, two_or_more, function, "", "min")       \
  F(python_pow, two, function, "", "pow")                   \
  F(round_half_even, one, function, "", "round")            \
  F(size_of, one, type_function, "sizeof", "")              \
  F(epsilon, one, type_function, "epsilon", "")

#define ATTUNE_KIND(name, ...) name,
enum class NodeKind : std::uint8_t {
  constant,
  name,      // `index` into names
  property,  // `index` into properties
  ATTUNE_LAZY_OPERATIONS(ATTUNE_KIND) ATTUNE_STRICT_OPERATIONS(ATTUNE_KIND) count
};
#undef ATTUNE_KIND

struct OperationRow {
  NodeKind kind;
  std::string_view name;
  Arity arity;
  Level level;
  std::string_view attune, python;  // how each dialect writes it

  constexpr std::string_view written(Dialect dialect) const { return dialect == Dialect::attune ? attune : python; }
};

// The runtime has no copy of this table, only what is computed from it at compile time.
#define ATTUNE_LAZY(name, attune, python) {NodeKind::name, #name, Arity::two, Level::own, attune, python},
#define ATTUNE_STRICT(name, arity, level, attune, python) \
  {NodeKind::name, #name, Arity::arity, Level::level, attune, python},
inline constexpr OperationRow operations[] = {ATTUNE_LAZY_OPERATIONS(ATTUNE_LAZY)
                                                  ATTUNE_STRICT_OPERATIONS(ATTUNE_STRICT)};
#undef ATTUNE_LAZY
#undef ATTUNE_STRICT
static_assert(std::ranges::is_sorted(operations, {}, &OperationRow::level));

// Returns the row of an operation. `kind` must not be constant, name or property.
constexpr const OperationRow& operation_of(NodeKind kind) {
  return operations[static_cast<std::size_t>(kind) - static_cast<std::size_t>(operations[0].kind)];
}

consteval NodeKind first_of(Level level) {
  return std::ranges::lower_bound(operations, level, {}, &OperationRow::level)->kind;
}
constexpr bool is_strict(NodeKind kind) { return kind >= first_of(Level::comparison); }
constexpr bool is_comparison(NodeKind kind) { return is_strict(kind) && kind < first_of(Level::bit_or); }

// The function of a strict operation. If the operation has one operand, the function ignores the second.
using OperandFunction = Operand (*)(const Operand& a, const Operand& b);
OperandFunction function_of(NodeKind kind);

}  // namespace attune
