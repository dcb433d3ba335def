// Text in attune's dialect -> nodes, by recursive descent. Grammar: docs/expressions.md.
#include "expression/parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/near_name.hpp"
#include "core/type_names.hpp"
#include "core/type_table.hpp"
#include "expression/reader.hpp"

namespace attune {
namespace {

constexpr std::string_view device_prefix = "device.";

class Parser final : public ExpressionReader {
 public:
  Parser(std::string_view text, ParsedExpression& out) : ExpressionReader(text, Dialect::attune, out) {}

 private:
  Index expression() override;
  Index word() override;
  Index bracketed() override;
  [[noreturn]] void fail_after() const override;

  Index disjunction();
  Index conjunction();
  Index negation();
  Index comparison();
  Index membership(Index left, NodeKind operation, std::uint32_t begin);
  Index property(const Token& token);
  Index type_property(const OperationWord& function, const Token& name);
};

void Parser::fail_after() const {
  if (is_symbol("[")) fail_here("a list stands only after `in`");
  ExpressionReader::fail_after();
}

NodeBuilder::Index Parser::expression() {
  const Deeper deeper(*this);
  const std::uint32_t begin = token_.begin;
  const Index condition = disjunction();
  if (!take("?")) return condition;
  const Index if_true = expression();
  expect(":", "between the two results of `?`");
  const Index if_false = expression();
  return build_.add(NodeKind::conditional, {condition, if_true, if_false}, begin, last_end_);
}

NodeBuilder::Index Parser::disjunction() {
  const std::uint32_t begin = token_.begin;
  Index left = conjunction();
  while (take("||")) {
    const Index right = conjunction();
    left = build_.add(NodeKind::logical_or, {left, right}, begin, last_end_);
  }
  return left;
}

NodeBuilder::Index Parser::conjunction() {
  const std::uint32_t begin = token_.begin;
  Index left = negation();
  while (take("&&")) {
    const Index right = negation();
    left = build_.add(NodeKind::logical_and, {left, right}, begin, last_end_);
  }
  return left;
}

NodeBuilder::Index Parser::negation() {
  if (!is_word("not")) return comparison();
  const Deeper deeper(*this);
  const std::uint32_t begin = token_.begin;
  advance();
  const Index operand = negation();
  return build_.add(NodeKind::logical_not, {operand}, begin, last_end_);
}

NodeBuilder::Index Parser::comparison() {
  const std::uint32_t begin = token_.begin;
  Index left = left_associative();
  if (is_word("in")) {
    left = membership(left, NodeKind::is_in, begin);
  } else if (is_word("not")) {
    advance();
    if (!is_word("in")) fail_here(fmt::format("expected `in` after `not`, found {}", found()));
    left = membership(left, NodeKind::is_not_in, begin);
  } else if (const OperationWord* const operation = find(Level::comparison)) {
    advance();
    const Index right = left_associative();
    left = build_.add(operation->kind, {left, right}, begin, last_end_);
  } else {
    return left;
  }
  if (find(Level::comparison) != nullptr || is_word("in") || is_word("not")) {
    fail_here("comparisons do not chain: for a < b < c write a < b && b < c");
  }
  return left;
}

NodeBuilder::Index Parser::membership(Index left, NodeKind operation, std::uint32_t begin) {
  advance();
  expect("[", "after `in`");
  std::vector<Index> list = list_until("]", "in the list");
  return build_.add_with_list(operation, left, std::move(list), begin, last_end_);
}

NodeBuilder::Index Parser::bracketed() {
  if (is_symbol("[")) fail_here("a list stands only after `in`");
  const std::uint32_t begin = token_.begin;
  advance();
  const Index inner = expression();
  expect(")", fmt::format("for the `(` at character {}", begin + 1));
  return inner;
}

NodeBuilder::Index Parser::word() {
  const Token token = token_;
  if (token.text == "not") fail_here("`not` binds looser than the operator before it: write (not ...) or !");
  if (token.text == "in") fail_here("expected a value before `in`");
  advance();
  if (token.text == "true" || token.text == "false") return build_.add_constant(Value(token.text == "true"), token);
  if (token.text.substr(0, device_prefix.size()) == device_prefix) return property(token);
  if (token.text == "device") {
    lexer_.fail("`device` needs a property, as in device.warp_size", token.begin);
  }
  if (!is_symbol("(")) return build_.add_name(token);
  const auto& function = function_of(token);
  return function.level == Level::type_function ? type_property(function, token) : call(function, token);
}

NodeBuilder::Index Parser::property(const Token& token) {
  const std::string_view name = token.text.substr(device_prefix.size());
  const auto& known = DeviceInfo::property_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const auto offset = token.begin + device_prefix.size();
    lexer_.fail(fmt::format("unknown device property `{}`{}", name, suggestion(name, known)), offset);
  }
  return build_.add_property(name, token);
}

// Parses sizeof(T), sizeof(float), sizeof('float'). A type name means itself, any other identifier its value.
NodeBuilder::Index Parser::type_property(const OperationWord& function, const Token& name) {
  advance();
  const Token type = token_;
  const bool is_name = type.kind == Token::Kind::identifier || type.kind == Token::Kind::name;
  if (!is_name) fail_here(fmt::format("{} takes a type: a type name, or a name that is bound to one", name.text));
  advance();
  const bool literal = type.kind == Token::Kind::name || find_type(type.text) != nullptr;
  if (literal && find_type(type.text) == nullptr) {
    lexer_.fail(fmt::format("unknown type `{}`{}", type.text, type_suggestion(type.text)), type.begin);
  }
  expect(")", fmt::format("after the type: {} takes one name", name.text));
  const Index argument = literal ? build_.add_constant(Value(type.text), type) : build_.add_name(type);
  return build_.add(function.kind, {argument}, name.begin, last_end_);
}

}  // namespace

void parse_expression(std::string_view text, Dialect dialect, ParsedExpression& out) {
  if (text.size() > max_expression_bytes) {
    throw ExpressionError(fmt::format("`{}...`: an expression of {} bytes; the most is {}", text.substr(0, 40),
                                      text.size(), max_expression_bytes),
                          max_expression_bytes);
  }
  if (dialect == Dialect::python) return parse_python(text, out);
  Parser(text, out).parse();
}

}  // namespace attune
