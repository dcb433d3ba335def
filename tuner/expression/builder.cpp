#include "expression/builder.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace attune {

NodeBuilder::Index NodeBuilder::finish(Node node) {
  int height = 0;
  std::uint64_t steps = 1;
  const auto reach = [&](Index operand) {
    height = std::max<int>(height, out_.nodes[operand].height);
    steps += steps_[operand];
  };
  for (const Index operand : node.operands) {
    if (operand != Node::none) reach(operand);
  }
  for (const Index operand : node.list) reach(operand);
  if (height >= max_expression_height) {
    lexer_.fail(fmt::format("more than {} operators in a row; group them with parentheses or use `in [...]`",
                            max_expression_height),
                node.begin);
  }
  if (steps > max_expression_steps) {
    lexer_.fail("chained comparisons, `and` or `or` inside one another multiply; write them side by side", node.begin);
  }
  steps_.push_back(steps);
  out_.steps = steps;
  node.height = static_cast<std::uint16_t>(height + 1);
  out_.nodes.push_back(std::move(node));
  return static_cast<Index>(out_.nodes.size() - 1);
}

NodeBuilder::Index NodeBuilder::add(NodeKind operation, std::initializer_list<Index> operands, std::uint32_t begin,
                                    std::uint32_t end) {
  Node node;
  node.operation = operation;
  std::copy(operands.begin(), operands.end(), node.operands.begin());
  node.begin = begin;
  node.end = end;
  return finish(std::move(node));
}

NodeBuilder::Index NodeBuilder::add_with_list(NodeKind operation, Index left, std::vector<Index> list,
                                              std::uint32_t begin, std::uint32_t end) {
  Node node;
  node.operation = operation;
  node.operands[0] = left;
  node.list = std::move(list);
  node.begin = begin;
  node.end = end;
  return finish(std::move(node));
}

NodeBuilder::Index NodeBuilder::add_constant(Value value, const Token& token) {
  Node node;
  node.constant = std::move(value);
  node.begin = token.begin;
  node.end = token.end;
  return finish(std::move(node));
}

NodeBuilder::Index NodeBuilder::add_reference(NodeKind operation, std::string_view name, const Token& token,
                                              NamePositions& seen, std::vector<std::string>& names) {
  const auto [entry, is_new] = seen.try_emplace(std::string(name), static_cast<Index>(names.size()));
  if (is_new) names.emplace_back(name);
  Node node;
  node.operation = operation;
  node.index = entry->second;
  node.begin = token.begin;
  node.end = token.end;
  return finish(std::move(node));
}

NodeBuilder::Index NodeBuilder::add_name(const Token& token) {
  return add_reference(NodeKind::name, token.text, token, names_, out_.names);
}

NodeBuilder::Index NodeBuilder::add_property(std::string_view name, const Token& token) {
  return add_reference(NodeKind::property, name, token, properties_, out_.properties);
}

}  // namespace attune
