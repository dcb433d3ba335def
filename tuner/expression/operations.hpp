// The operations of expressions: one table. The name of a row is that of its node and of its function on values: in
// arithmetic.inc, which exported headers have too, or for operations of the Python dialect alone in
// python_arithmetic.hpp. Parsers read words.hpp, which is computed from the table.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "attune/expression.hpp"
#include "expression/operand.hpp"

namespace attune {

// Where the grammar has an operation: operators from the loosest to the tightest, then functions.
enum class Level : std::uint8_t {
  own,  // the parsers have code of their own for it
  comparison,
  python_comparison,  // of operands that may be names
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

// How many operands an operation takes. Of more than two it is applied to two, then to the result and the next.
enum class Arity : std::uint8_t { one = 1, two, two_or_more };

// Rows have the order of levels. Functions are found in this order, and proposed in it.
// Lazy operations do not evaluate all operands before, or have a list: expression.cpp evaluates them.
// F(name, how attune's dialect writes it, how the Python dialect does): "" where it does not.
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
// F(name, arity, level, how attune's dialect writes it, how the Python dialect does)
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
  std::string_view attune, python;  // see above

  constexpr std::string_view written(Dialect dialect) const { return dialect == Dialect::attune ? attune : python; }
};

// The runtime holds no copy of it, only what is computed from it at compile time.
#define ATTUNE_LAZY(name, attune, python) {NodeKind::name, #name, Arity::two, Level::own, attune, python},
#define ATTUNE_STRICT(name, arity, level, attune, python) \
  {NodeKind::name, #name, Arity::arity, Level::level, attune, python},
inline constexpr OperationRow operations[] = {ATTUNE_LAZY_OPERATIONS(ATTUNE_LAZY)
                                                  ATTUNE_STRICT_OPERATIONS(ATTUNE_STRICT)};
#undef ATTUNE_LAZY
#undef ATTUNE_STRICT
static_assert(std::ranges::is_sorted(operations, {}, &OperationRow::level));

// Returns the row of an operation: of all kinds but constant, name and property.
constexpr const OperationRow& operation_of(NodeKind kind) {
  return operations[static_cast<std::size_t>(kind) - static_cast<std::size_t>(operations[0].kind)];
}

consteval NodeKind first_of(Level level) {
  return std::ranges::lower_bound(operations, level, {}, &OperationRow::level)->kind;
}
constexpr bool is_strict(NodeKind kind) { return kind >= first_of(Level::comparison); }
constexpr bool is_comparison(NodeKind kind) { return is_strict(kind) && kind < first_of(Level::bit_or); }

// The function of a strict operation. That of one operand ignores the second.
using OperandFunction = Operand (*)(const Operand& a, const Operand& b);
OperandFunction function_of(NodeKind kind);

}  // namespace attune
