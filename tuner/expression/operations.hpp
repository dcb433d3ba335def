// The operations of expressions: one table. Parsers, evaluation and exported headers read it. The name of a row is that
// of its node, of its function on operands (operand_NAME in operand_*.cpp), and of the same function of exported
// headers (exports/header/values.inc). Operations of the Python dialect alone have no function there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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
enum class Arity : std::uint8_t { one = 1, two, three, two_or_more };

// F(name, arity, level, how attune's dialect writes it, how the Python dialect does): "" where it does not. Rows have
// the order of levels. Functions are found in this order, and proposed in it.
// Lazy operations do not evaluate all operands before, or have a list: expression.cpp evaluates them.
#define ATTUNE_LAZY_OPERATIONS(F)                                   \
  F(conditional, three, own, "{} ? {} : {}", "{1} if {0} else {2}") \
  F(logical_or, two, own, "{} || {}", "{} or {}")                   \
  F(logical_and, two, own, "{} && {}", "{} and {}")                 \
  F(is_in, three, own, "{} in [{}, {}]", "")                        \
  F(is_not_in, three, own, "{} not in [{}, {}]", "")                \
  F(python_in, three, own, "", "{} in [{}, {}]")                    \
  F(python_not_in, three, own, "", "{} not in [{}, {}]")            \
  F(subscript, three, own, "", "[{1}, {2}][{0}]")
// Strict operations apply their function to the values of all operands.
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

#define ATTUNE_OPERANDS_one const Operand& a
#define ATTUNE_OPERANDS_two ATTUNE_OPERANDS_one, const Operand& b
#define ATTUNE_OPERANDS_two_or_more ATTUNE_OPERANDS_two
#define ATTUNE_OPERANDS_three ATTUNE_OPERANDS_two, const Operand& c
#define ATTUNE_FUNCTION(name, arity, ...) Operand operand_##name(ATTUNE_OPERANDS_##arity);
ATTUNE_STRICT_OPERATIONS(ATTUNE_FUNCTION)
#undef ATTUNE_FUNCTION

struct OperationRow {
  NodeKind kind;
  std::string_view name;
  Arity arity;
  Level level;
  std::string_view attune, python;  // see above
  // Applies a strict operation to as many of the operands as it takes; they are defined. Null for a lazy one.
  Operand (*function)(const Operand& a, const Operand& b, const Operand& c);

  std::string_view written(Dialect dialect) const { return dialect == Dialect::attune ? attune : python; }
  std::size_t operands() const { return arity == Arity::two_or_more ? 2 : static_cast<std::size_t>(arity); }
};

constexpr auto first_operation = static_cast<std::size_t>(NodeKind::conditional);
extern const std::array<OperationRow, static_cast<std::size_t>(NodeKind::count) - first_operation> operation_table;

inline bool is_strict(NodeKind kind) { return kind >= NodeKind::equal; }
// Returns the row of an operation: of all kinds but constant, name and property.
inline const OperationRow& operation_of(NodeKind kind) {
  return operation_table[static_cast<std::size_t>(kind) - first_operation];
}
// Returns the rows of levels from `first` to `last`.
std::span<const OperationRow> operations(Level first, Level last);
// Finds among them what `dialect` writes as `text`, or returns null.
const OperationRow* find_operation(Level first, Level last, Dialect dialect, std::string_view text);
std::vector<std::string> function_names(Dialect dialect);

}  // namespace attune
