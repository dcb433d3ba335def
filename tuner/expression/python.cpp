// Text in the Python dialect -> nodes. Grammar and differences from Python: docs/expressions.md.
// Python's `and` and `or` return an operand. They are parsed as logical operations, which return a truth value. Where
// the operand's value is needed, value_of() replaces them by a conditional.
#include <fmt/format.h>

#include <algorithm>

#include "expression/parser.hpp"
#include "expression/reader.hpp"

namespace attune {
namespace {

// Words of Python that cannot be names.
constexpr std::string_view reserved[] = {
    "None",   "and",  "as",       "assert",  "async", "await", "break",  "class", "continue", "def",  "del",
    "elif",   "else", "except",   "finally", "for",   "from",  "global", "if",    "import",   "in",   "is",
    "lambda", "not",  "nonlocal", "or",      "pass",  "raise", "return", "try",   "while",    "with", "yield"};

class PythonParser final : public ExpressionReader {
 public:
  PythonParser(std::string_view text, ParsedExpression& out) : ExpressionReader(text, Dialect::python, out) {}

 private:
  Index expression() override;
  Index word() override;
  Index bracketed() override;
  Index value_of(Index node) override;
  [[noreturn]] void fail_after() const override;

  Index disjunction();
  Index conjunction();
  Index negation();
  Index comparison();
  Index compared(Index left, std::uint32_t begin, const OperationWord& comparison, Index right);
  Index membership(Index left, std::uint32_t begin);
  Index subscript(std::vector<Index> list, std::uint32_t begin);
  bool is_boolean(Index index) const;
  bool is_number(Index index) const;
  bool is_membership() const { return is_word("in") || is_word("not"); }
};

void PythonParser::fail_after() const {
  if (is_word("is")) fail_here("`is` is not known here; write `==` to compare");
  if (is_symbol("[")) fail_here("only a list that is written out can be indexed, as in [1, 2, 4][i]");
  ExpressionReader::fail_after();
}

NodeBuilder::Index PythonParser::expression() {
  const Deeper deeper(*this);
  const std::uint32_t begin = token_.begin;
  Index first = disjunction();
  if (!is_word("if")) return first;
  advance();
  first = value_of(first);
  const Index condition = disjunction();
  if (!is_word("else")) fail_here(fmt::format("expected `else` for the `if`, found {}", found()));
  advance();
  const Index second = value_of(expression());
  return build_.add(NodeKind::conditional, {condition, first, second}, begin, last_end_);
}

NodeBuilder::Index PythonParser::disjunction() {
  const std::uint32_t begin = token_.begin;
  Index left = conjunction();
  while (is_word("or")) {
    advance();
    const Index right = conjunction();
    left = build_.add(NodeKind::logical_or, {left, right}, begin, last_end_);
  }
  return left;
}

NodeBuilder::Index PythonParser::conjunction() {
  const std::uint32_t begin = token_.begin;
  Index left = negation();
  while (is_word("and")) {
    advance();
    const Index right = negation();
    left = build_.add(NodeKind::logical_and, {left, right}, begin, last_end_);
  }
  return left;
}

NodeBuilder::Index PythonParser::negation() {
  if (!is_word("not")) return comparison();
  const Deeper deeper(*this);
  const std::uint32_t begin = token_.begin;
  advance();
  const Index operand = negation();
  return build_.add(NodeKind::logical_not, {operand}, begin, last_end_);
}

// a < b <= c is a < b and b <= c.
NodeBuilder::Index PythonParser::comparison() {
  const std::uint32_t begin = token_.begin;
  std::uint32_t left_begin = begin;
  Index left = left_associative();
  Index all = Expression::Node::none;
  const auto add = [&](Index next) {
    const bool is_first = all == Expression::Node::none;
    all = is_first ? next : build_.add(NodeKind::logical_and, {all, next}, begin, last_end_);
  };
  while (const OperationWord* const comparison = find(Level::comparison)) {
    advance();
    left = value_of(left);
    const std::uint32_t right_begin = token_.begin;
    const Index right = value_of(left_associative());
    add(compared(left, left_begin, *comparison, right));
    left = right;
    left_begin = right_begin;
  }
  if (is_membership()) {
    add(membership(value_of(left), left_begin));
    if (find(Level::comparison) != nullptr || is_membership())
      fail_here("a list is not compared; put the `in` in parentheses");
  }
  return all == Expression::Node::none ? left : all;
}

NodeBuilder::Index PythonParser::compared(Index left, std::uint32_t begin, const OperationWord& comparison,
                                          Index right) {
  // A name never equals a number, and ordering the two is undefined with either operation. Therefore a comparison of
  // numbers serves, which analyses can use.
  const bool equality = comparison.kind == NodeKind::equal || comparison.kind == NodeKind::unequal;
  const bool numbers = equality ? is_number(left) && is_number(right) : is_number(left) || is_number(right);
  constexpr auto general = Level::python_comparison;
  const auto& word = numbers ? comparison : *find_word(Dialect::python, general, general, comparison.text());
  return build_.add(word.kind, {left, right}, begin, last_end_);
}

NodeBuilder::Index PythonParser::membership(Index left, std::uint32_t begin) {
  const bool negated = is_word("not");
  if (negated) advance();
  if (!is_word("in")) fail_here(fmt::format("expected `in` after `not`, found {}", found()));
  advance();
  const bool tuple = is_symbol("(");
  if (!tuple && !is_symbol("[")) {
    fail_here(fmt::format("expected a list [..] or (..) that is written out after `in`, found {}", found()));
  }
  const Token open = token_;
  advance();
  std::vector<Index> list = list_until(tuple ? ")" : "]", "in the list");
  const bool is_list = !tuple || list.size() != 1 || trailing_comma_;
  if (!is_list) lexer_.fail("expected a list after `in`; one element in parentheses is none: write [..]", open.begin);
  if (is_symbol("[")) fail_after();
  const auto operation = negated ? NodeKind::python_not_in : NodeKind::python_in;
  return build_.add_with_list(operation, left, std::move(list), begin, last_end_);
}

NodeBuilder::Index PythonParser::bracketed() {
  const Token open = token_;
  advance();
  if (open.text == "[") return subscript(list_until("]", "in the list"), open.begin);
  const Index inner = expression();
  if (take(",")) {
    std::vector<Index> list = {value_of(inner)};
    const std::vector<Index> more = list_until(")", "in the list");
    list.insert(list.end(), more.begin(), more.end());
    return subscript(std::move(list), open.begin);
  }
  expect(")", fmt::format("for the `(` at character {}", open.begin + 1));
  return inner;
}

NodeBuilder::Index PythonParser::subscript(std::vector<Index> list, std::uint32_t begin) {
  if (!is_symbol("[")) {
    lexer_.fail("a list stands only after `in`, or before an index as in [1, 2, 4][i]", begin);
  }
  advance();
  const Index index = value_of(expression());
  expect("]", "after the index");
  return build_.add_with_list(NodeKind::subscript, index, std::move(list), begin, last_end_);
}

NodeBuilder::Index PythonParser::word() {
  const Token token = token_;
  if (token.text == "not") fail_here("`not` binds looser than the operator before it: write (not ...)");
  if (token.text == "None")
    fail_here("`None` is not known here; a value is a number, a truth value or a name in quotes");
  for (const std::string_view word : reserved) {
    if (token.text == word) fail_here(fmt::format("expected a value, found `{}`", word));
  }
  advance();
  if (token.text == "True" || token.text == "False") return build_.add_constant(Value(token.text == "True"), token);
  return is_symbol("(") ? call(function_of(token), token) : build_.add_name(token);
}

// Rewrites: a or b = a if a else b; a and b = b if a else a. It starts from the right, so that no operand of a long row
// is evaluated many times.
NodeBuilder::Index PythonParser::value_of(Index index) {
  const NodeKind operation = build_.node(index).operation;
  const bool is_or = operation == NodeKind::logical_or;
  if ((!is_or && operation != NodeKind::logical_and) || is_boolean(index)) return index;
  const std::uint32_t begin = build_.node(index).begin, end = build_.node(index).end;
  std::vector<Index> rights;
  Index first = index;
  for (; build_.node(first).operation == operation; first = build_.node(first).operands[0]) {
    rights.push_back(build_.node(first).operands[1]);
  }
  Index result = value_of(rights.front());
  const auto put_before = [&](Index left) {
    const Index left_value = value_of(left);
    result =
        build_.add(NodeKind::conditional, {left, is_or ? left_value : result, is_or ? result : left_value}, begin, end);
  };
  std::for_each(rights.begin() + 1, rights.end(), put_before);
  put_before(first);
  return result;
}

// Returns whether it is certain that the node's value, if there is one, is true or false.
bool PythonParser::is_boolean(Index index) const {
  const auto& node = build_.node(index);
  switch (node.operation) {
    case NodeKind::constant:
      return node.constant.is_boolean();
    case NodeKind::logical_or:
    case NodeKind::logical_and:
      return is_boolean(node.operands[0]) && is_boolean(node.operands[1]);
    case NodeKind::logical_not:
    case NodeKind::python_in:
    case NodeKind::python_not_in:
      return true;
    default:
      return is_comparison(node.operation);
  }
}

// Returns whether it is certain that the node's value is a number or a truth value, not a name.
bool PythonParser::is_number(Index index) const {
  const auto& node = build_.node(index);
  switch (node.operation) {
    case NodeKind::constant:
      return !node.constant.is_name();
    case NodeKind::logical_or:
    case NodeKind::logical_and:
    case NodeKind::python_in:
    case NodeKind::python_not_in:
      return true;
    case NodeKind::python_minimum:
    case NodeKind::python_maximum:
      return is_number(node.operands[0]) && is_number(node.operands[1]);
    default:
      return is_strict(node.operation);
  }
}

}  // namespace

void parse_python(std::string_view text, ParsedExpression& out) { PythonParser(text, out).parse(); }

}  // namespace attune
