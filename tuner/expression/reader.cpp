#include "expression/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/near_name.hpp"

namespace attune {
namespace {

constexpr std::uint64_t two_to_63 = std::uint64_t{1} << 63;

}  // namespace

void ExpressionReader::parse() {
  if (token_.kind == Token::Kind::end) lexer_.fail("expected an expression, found nothing", token_.begin);
  expression();
  if (token_.kind != Token::Kind::end) fail_after();
}

void ExpressionReader::fail_after() const {
  fail_here(fmt::format("expected an operator or the end, found {}", found()));
}

ExpressionReader::Index ExpressionReader::left_associative(std::size_t level) {
  if (level == syntax_.levels.size()) return unary();
  const std::uint32_t begin = token_.begin;
  Index left = left_associative(level + 1);
  while (const Operator* const operation = find(syntax_.levels[level])) {
    advance();
    left = value_of(left);
    const Index right = value_of(left_associative(level + 1));
    left = build_.add(operation->operation, {left, right}, begin, last_end_);
  }
  return left;
}

ExpressionReader::Index ExpressionReader::unary() {
  const Operator* const sign = find(syntax_.signs);
  if (sign == nullptr) return power();
  const Deeper deeper(*this);
  const Token first = token_;
  advance();
  // 2^63 is no int64, but -2^63 is.
  if (sign->operation == NodeKind::negate && token_.kind == Token::Kind::integer && token_.integer == two_to_63) {
    Token whole = first;
    whole.end = token_.end;
    const Token literal = token_;
    advance();
    if (is_symbol("**"))
      lexer_.fail(fmt::format("`{}` is too large: integers go up to 2**63 - 1", literal.text), literal.begin);
    return build_.add_constant(Value(std::numeric_limits<std::int64_t>::min()), whole);
  }
  const Index operand = value_of(unary());
  return build_.add(sign->operation, {operand}, first.begin, last_end_);
}

ExpressionReader::Index ExpressionReader::power() {
  const std::uint32_t begin = token_.begin;
  Index base = primary();
  if (!is_symbol("**")) return base;
  const Deeper deeper(*this);
  advance();
  base = value_of(base);
  const Index exponent = value_of(unary());
  return build_.add(syntax_.power, {base, exponent}, begin, last_end_);
}

ExpressionReader::Index ExpressionReader::primary() {
  const Token token = token_;
  switch (token.kind) {
    case Token::Kind::integer:
      if (token.integer == two_to_63)
        fail_here(fmt::format("`{}` is too large: integers go up to 2**63 - 1", token.text));
      advance();
      return build_.add_constant(Value(static_cast<std::int64_t>(token.integer)), token);
    case Token::Kind::real:
      advance();
      return build_.add_constant(Value(token.real), token);
    case Token::Kind::name:
      advance();
      return build_.add_constant(Value(token.text), token);
    case Token::Kind::identifier:
      return word();
    case Token::Kind::symbol:
      break;
    case Token::Kind::end:
      fail_here("expected a value, found the end");
  }
  if (token.text == "(" || token.text == "[") return bracketed();
  fail_here(fmt::format("expected a value, found `{}`", token.text));
}

std::vector<ExpressionReader::Index> ExpressionReader::list_until(std::string_view close, const std::string& where) {
  std::vector<Index> list;
  bool comma = false;
  while (!is_symbol(close)) {
    list.push_back(value_of(expression()));
    comma = !is_symbol(close);
    if (comma) expect(",", fmt::format("or `{}` {}", close, where));
  }
  advance();
  trailing_comma_ = comma;
  return list;
}

const ExpressionFunction& ExpressionReader::function_of(const Token& name) const {
  const auto found = std::find_if(syntax_.functions.begin(), syntax_.functions.end(),
                                  [&](const auto& function) { return function.name == name.text; });
  if (found != syntax_.functions.end()) return *found;
  std::vector<std::string> known;
  for (const auto& function : syntax_.functions) known.emplace_back(function.name);
  lexer_.fail(fmt::format("unknown function `{}`{}", name.text, suggestion(name.text, known)), name.begin);
}

ExpressionReader::Index ExpressionReader::call(const ExpressionFunction& function, const Token& name) {
  advance();
  const std::vector<Index> arguments = list_until(")", fmt::format("in the arguments of {}", name.text));
  check_arity(function, name, arguments.size());
  if (arguments.size() == 1) return build_.add(function.operation, {arguments[0]}, name.begin, last_end_);
  Index result = arguments[0];
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    result = build_.add(function.operation, {result, arguments[i]}, name.begin, last_end_);
  }
  return result;
}

void ExpressionReader::check_arity(const ExpressionFunction& function, const Token& name, std::size_t count) const {
  const auto least = static_cast<std::size_t>(function.min_arguments);
  const bool open = function.max_arguments == 0;
  if (count >= least && (open || count <= static_cast<std::size_t>(function.max_arguments))) return;
  lexer_.fail(fmt::format("{} takes {}{} argument{}, not {}", name.text, open ? "at least " : "", least,
                          least == 1 ? "" : "s", count),
              name.begin);
}

bool ExpressionReader::take(std::string_view symbol) {
  if (!is_symbol(symbol)) return false;
  advance();
  return true;
}

void ExpressionReader::expect(std::string_view symbol, std::string_view where) {
  if (!take(symbol)) fail_here(fmt::format("expected `{}` {}, found {}", symbol, where, found()));
}

std::string ExpressionReader::found() const {
  if (token_.kind == Token::Kind::end) return "the end";
  return fmt::format("`{}`", token_.text);
}

const Operator* ExpressionReader::find(std::span<const Operator> operators) const {
  for (const auto& item : operators) {
    if (is_symbol(item.symbol)) return &item;
  }
  return nullptr;
}

}  // namespace attune
