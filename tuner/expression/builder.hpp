// NodeBuilder: appends nodes to a parsed expression, within the limits of height and steps. Only the parsers use it.
#pragma once

#include <initializer_list>
#include <map>

#include "expression/lexer.hpp"
#include "expression/node.hpp"

namespace attune {

class NodeBuilder {
 public:
  using Index = std::uint32_t;
  using Node = Expression::Node;

  // Both must outlive the builder.
  NodeBuilder(const Lexer& lexer, ParsedExpression& out) : lexer_(lexer), out_(out) {}

  // Each returns the index of the new node. Operands are indices of earlier nodes; `begin` and `end` tell which bytes
  // of the text the new node stands for. Each throws ExpressionError if the tree gets too high or would take too long
  // to evaluate.
  Index add(NodeKind operation, std::initializer_list<Index> operands, std::uint32_t begin, std::uint32_t end);
  // Adds an operation on one operand and a list.
  Index add_with_list(NodeKind operation, Index left, std::vector<Index> list, std::uint32_t begin, std::uint32_t end);
  Index add_constant(Value value, const Token& token);
  Index add_name(const Token& token);
  // Adds a known device property. `token` is its place.
  Index add_property(std::string_view name, const Token& token);
  // Returns a reference that is valid until the next node is added.
  const Node& node(Index index) const { return out_.nodes[index]; }

 private:
  // The positions of known names in a list of names.
  using NamePositions = std::map<std::string, Index, std::less<>>;
  Index add_reference(NodeKind operation, std::string_view name, const Token& token, NamePositions& seen,
                      std::vector<std::string>& names);
  Index finish(Node node);

  const Lexer& lexer_;
  ParsedExpression& out_;
  NamePositions names_, properties_;
  std::vector<std::uint64_t> steps_;  // by node: the most steps that evaluating it takes
};

}  // namespace attune
