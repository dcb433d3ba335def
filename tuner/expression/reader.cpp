#include "expression/reader.hpp"

#include <fmt/format.h>

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

ExpressionReader::Index ExpressionReader::left_associative(Level loosest) {
  const std::uint32_t begin = token_.begin;
  Index left = unary();
  while (const OperationWord* const operation = find(loosest, Level::product)) {
    advance();
    left = value_of(left);
    const auto tighter = static_cast<Level>(static_cast<int>(operation->level) + 1);
    const Index right = value_of(left_associative(tighter));
    left = build_.add(operation->kind, {left, right}, begin, last_end_);
  }
  return left;
}

ExpressionReader::Index ExpressionReader::unary() {
  if (token_.operation == nullptr) return power();
  const OperationWord* const sign = find_word(dialect_, Level::sign, Level::sign, token_.text);
  if (sign == nullptr) return power();
  const Deeper deeper(*this);
  const Token first = token_;
  advance();
  // 2^63 is no int64, but -2^63 is.
  if (sign->kind == NodeKind::negate && token_.kind == Token::Kind::integer && token_.integer == two_to_63) {
    Token whole = first;
    whole.end = token_.end;
    const Token literal = token_;
    advance();
    if (is_symbol("**"))
      lexer_.fail(fmt::format("`{}` is too large: integers go up to 2**63 - 1", literal.text), literal.begin);
    return build_.add_constant(Value(std::numeric_limits<std::int64_t>::min()), whole);
  }
  const Index operand = value_of(unary());
  return build_.add(sign->kind, {operand}, first.begin, last_end_);
}

ExpressionReader::Index ExpressionReader::power() {
  const std::uint32_t begin = token_.begin;
  Index base = primary();
  const OperationWord* const operation = find(Level::power);
  if (operation == nullptr) return base;
  const Deeper deeper(*this);
  advance();
  base = value_of(base);
  const Index exponent = value_of(unary());
  return build_.add(operation->kind, {base, exponent}, begin, last_end_);
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

const OperationWord& ExpressionReader::function_of(const Token& name) const {
  const OperationWord* const found = find_word(dialect_, Level::function, Level::type_function, name.text);
  if (found != nullptr) return *found;
  lexer_.fail(fmt::format("unknown function `{}`{}", name.text, suggestion(name.text, function_names(dialect_))),
              name.begin);
}

ExpressionReader::Index ExpressionReader::call(const OperationWord& function, const Token& name) {
  advance();
  const std::vector<Index> arguments = list_until(")", fmt::format("in the arguments of {}", name.text));
  check_arity(function, name, arguments.size());
  if (arguments.size() == 1) return build_.add(function.kind, {arguments[0]}, name.begin, last_end_);
  Index result = arguments[0];
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    result = build_.add(function.kind, {result, arguments[i]}, name.begin, last_end_);
  }
  return result;
}

void ExpressionReader::check_arity(const OperationWord& function, const Token& name, std::size_t count) const {
  const std::size_t least = function.arity == Arity::one ? 1 : 2;
  const bool open = function.arity == Arity::two_or_more;
  if (count == least || (open && count > least)) return;
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

}  // namespace attune
