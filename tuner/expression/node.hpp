// The nodes of an Expression, for code that reads or evaluates it. They are in one array: operands before the operation
// that uses them, the root last. Immutable after parsing.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attune/expression.hpp"
#include "expression/operations.hpp"

namespace attune {

struct Expression::Node {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  NodeKind operation = NodeKind::constant;
  std::uint16_t height = 1;          // of the tree below, this node included
  std::uint32_t begin = 0, end = 0;  // which bytes of the text, for messages
  std::array<std::uint32_t, 3> operands = {none, none, none};
  std::vector<std::uint32_t> list;  // the elements of membership and subscript
  std::uint32_t index = 0;
  Value constant;
};

struct ParsedExpression {
  std::vector<Expression::Node> nodes;
  std::vector<std::string> names;  // in order of first use
  std::vector<std::string> properties;
  std::uint64_t steps = 1;  // the most nodes that one evaluation visits, shared nodes counted at each visit
};

struct Expression::Body : ParsedExpression {
  std::string text;
  Dialect dialect = Dialect::attune;
};

// Returns the nodes, for code that analyses expressions.
const ParsedExpression& parsed_of(const Expression& expression) noexcept;
// Evaluates one node and the nodes below it; `values` as for Expression::evaluate. An undefined result names its node.
Operand evaluate_node(const ParsedExpression& parsed, std::uint32_t node, std::span<const Value* const> values,
                      const DeviceInfo* device);

// Limits against hostile input: no expression overflows the stack or takes long to read.
constexpr std::size_t max_expression_bytes = 65536;      // written by hand: tens; generated: thousands
constexpr int max_expression_nesting = 200;              // each takes about 3 KB of stack while parsing
constexpr int max_expression_height = 1000;              // each takes about 200 bytes of stack while evaluating
constexpr std::uint64_t max_expression_steps = 1 << 18;  // see ParsedExpression::steps; a few ms

}  // namespace attune
