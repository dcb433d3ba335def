// Expression text -> nodes, by recursive descent. Grammar: docs/expressions.md.
#include "core/expression_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/expression_builder.hpp"
#include "core/expression_lexer.hpp"
#include "core/near_name.hpp"
#include "core/type_table.hpp"

namespace attune {
namespace {

using Index = std::uint32_t;

struct Binary {
  std::string_view symbol;
  Operation operation;
};

constexpr Binary comparisons[] = {{"==", Operation::equal},      {"!=", Operation::unequal},
                                  {"<=", Operation::less_equal}, {">=", Operation::greater_equal},
                                  {"<", Operation::less},        {">", Operation::greater}};
// Left-associative operators that bind tighter than comparisons, loosest first.
constexpr Binary bit_ors[] = {{"|", Operation::bit_or}};
constexpr Binary bit_ands[] = {{"&", Operation::bit_and}};
constexpr Binary shifts[] = {{"<<", Operation::shift_left}, {">>", Operation::shift_right}};
constexpr Binary sums[] = {{"+", Operation::add}, {"-", Operation::subtract}};
constexpr Binary products[] = {{"*", Operation::multiply}, {"/", Operation::divide}, {"%", Operation::remainder}};
constexpr std::span<const Binary> levels[] = {bit_ors, bit_ands, shifts, sums, products};
constexpr std::size_t level_count = std::size(levels);

constexpr std::uint64_t two_to_63 = std::uint64_t{1} << 63;
constexpr std::string_view device_prefix = "device.";

class Parser {
 public:
  Parser(std::string_view text, ParsedExpression& out) : lexer_(text), build_(lexer_, out) { advance(); }

  void parse() {
    if (token_.kind == Token::Kind::end) lexer_.fail("expected an expression, found nothing", token_.begin);
    conditional();
    if (token_.kind == Token::Kind::end) return;
    if (token_.text == "[") fail_here("a list stands only after `in`");
    fail_here(fmt::format("expected an operator or the end, found {}", found()));
  }

 private:
  // Counts how deep the parser has called itself.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > max_expression_nesting) {
        parser_.fail_here(fmt::format("nested more than {} deep", max_expression_nesting));
      }
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  Index conditional();
  Index disjunction();
  Index conjunction();
  Index negation();
  Index comparison();
  Index membership(Index left, Operation operation, std::uint32_t begin);
  Index left_associative(std::size_t level);
  Index unary();
  Index power();
  Index primary();
  Index word();
  Index property(const Token& token);
  Index call(const Token& name);
  Index type_property(const ExpressionFunction& function, const Token& name);
  void check_arity(const ExpressionFunction& function, const Token& name, std::size_t count);

  void advance() {
    last_end_ = token_.end;
    token_ = lexer_.next();
  }
  bool is_symbol(std::string_view text) const { return token_.kind == Token::Kind::symbol && token_.text == text; }
  bool is_word(std::string_view text) const { return token_.kind == Token::Kind::identifier && token_.text == text; }
  bool take(std::string_view symbol) {
    if (!is_symbol(symbol)) return false;
    advance();
    return true;
  }
  void expect(std::string_view symbol, std::string_view where) {
    if (take(symbol)) return;
    fail_here(fmt::format("expected `{}` {}, found {}", symbol, where, found()));
  }
  std::string found() const {
    if (token_.kind == Token::Kind::end) return "the end";
    return fmt::format("`{}`", token_.text);
  }
  [[noreturn]] void fail_here(const std::string& message) const { lexer_.fail(message, token_.begin); }
  const Binary* find(std::span<const Binary> operators) const {
    for (const auto& item : operators) {
      if (is_symbol(item.symbol)) return &item;
    }
    return nullptr;
  }

  Lexer lexer_;
  NodeBuilder build_;
  Token token_;
  std::uint32_t last_end_ = 0;  // of the token before
  int depth_ = 0;
};

Index Parser::conditional() {
  const Deeper deeper(*this);
  const std::uint32_t begin = token_.begin;
  const Index condition = disjunction();
  if (!take("?")) return condition;
  const Index if_true = conditional();
  expect(":", "between the two results of `?`");
  const Index if_false = conditional();
  return build_.add(Operation::conditional, {condition, if_true, if_false}, begin, last_end_);
}

Index Parser::disjunction() {
  const std::uint32_t begin = token_.begin;
  Index left = conjunction();
  while (take("||")) {
    const Index right = conjunction();
    left = build_.add(Operation::logical_or, {left, right}, begin, last_end_);
  }
  return left;
}

Index Parser::conjunction() {
  const std::uint32_t begin = token_.begin;
  Index left = negation();
  while (take("&&")) {
    const Index right = negation();
    left = build_.add(Operation::logical_and, {left, right}, begin, last_end_);
  }
  return left;
}

Index Parser::negation() {
  if (!is_word("not")) return comparison();
  const Deeper deeper(*this);
  const std::uint32_t begin = token_.begin;
  advance();
  const Index operand = negation();
  return build_.add(Operation::logical_not, {operand}, begin, last_end_);
}

Index Parser::comparison() {
  const std::uint32_t begin = token_.begin;
  Index left = left_associative(0);
  if (is_word("in")) {
    left = membership(left, Operation::in, begin);
  } else if (is_word("not")) {
    advance();
    if (!is_word("in")) fail_here(fmt::format("expected `in` after `not`, found {}", found()));
    left = membership(left, Operation::not_in, begin);
  } else if (const Binary* const operation = find(comparisons)) {
    advance();
    const Index right = left_associative(0);
    left = build_.add(operation->operation, {left, right}, begin, last_end_);
  } else {
    return left;
  }
  if (find(comparisons) != nullptr || is_word("in") || is_word("not")) {
    fail_here("comparisons do not chain: for a < b < c write a < b && b < c");
  }
  return left;
}

Index Parser::membership(Index left, Operation operation, std::uint32_t begin) {
  std::vector<Index> list;
  advance();
  expect("[", "after `in`");
  while (!is_symbol("]")) {
    list.push_back(conditional());
    if (!is_symbol("]")) expect(",", "or `]` in the list");
  }
  advance();
  return build_.add_membership(operation, left, std::move(list), begin, last_end_);
}

Index Parser::left_associative(std::size_t level) {
  if (level == level_count) return unary();
  const std::uint32_t begin = token_.begin;
  Index left = left_associative(level + 1);
  while (const Binary* const operation = find(levels[level])) {
    advance();
    const Index right = left_associative(level + 1);
    left = build_.add(operation->operation, {left, right}, begin, last_end_);
  }
  return left;
}

Index Parser::unary() {
  constexpr Binary signs[] = {{"-", Operation::negate}, {"+", Operation::plus}, {"!", Operation::logical_not}};
  const Binary* const sign = find(signs);
  if (sign == nullptr) return power();
  const Deeper deeper(*this);
  const Token first = token_;
  advance();
  // 2^63 is no int64, but -2^63 is.
  if (sign->operation == Operation::negate && token_.kind == Token::Kind::integer && token_.integer == two_to_63) {
    Token whole = first;
    whole.end = token_.end;
    const Token literal = token_;
    advance();
    if (is_symbol("**"))
      lexer_.fail(fmt::format("`{}` is too large: integers go up to 2**63 - 1", literal.text), literal.begin);
    return build_.add_constant(Value(std::numeric_limits<std::int64_t>::min()), whole);
  }
  const Index operand = unary();
  return build_.add(sign->operation, {operand}, first.begin, last_end_);
}

Index Parser::power() {
  const std::uint32_t begin = token_.begin;
  const Index base = primary();
  if (!is_symbol("**")) return base;
  const Deeper deeper(*this);
  advance();
  const Index exponent = unary();
  return build_.add(Operation::power, {base, exponent}, begin, last_end_);
}

Index Parser::primary() {
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
  if (token.text == "[") fail_here("a list stands only after `in`");
  if (token.text != "(") fail_here(fmt::format("expected a value, found `{}`", token.text));
  advance();
  const Index inner = conditional();
  expect(")", fmt::format("for the `(` at character {}", token.begin + 1));
  return inner;
}

Index Parser::word() {
  const Token token = token_;
  if (token.text == "not") fail_here("`not` binds looser than the operator before it: write (not ...) or !");
  if (token.text == "in") fail_here("expected a value before `in`");
  advance();
  if (token.text == "true" || token.text == "false") return build_.add_constant(Value(token.text == "true"), token);
  if (token.text.substr(0, device_prefix.size()) == device_prefix) return property(token);
  if (token.text == "device") {
    lexer_.fail("`device` needs a property, as in device.warp_size", token.begin);
  }
  return is_symbol("(") ? call(token) : build_.add_name(token);
}

Index Parser::property(const Token& token) {
  const std::string_view name = token.text.substr(device_prefix.size());
  const auto& known = DeviceInfo::property_names();
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    const auto offset = token.begin + device_prefix.size();
    lexer_.fail(fmt::format("unknown device property `{}`{}", name, suggestion(name, known)), offset);
  }
  return build_.add_property(name, token);
}

void Parser::check_arity(const ExpressionFunction& function, const Token& name, std::size_t count) {
  const auto least = static_cast<std::size_t>(function.min_arguments);
  const bool open = function.max_arguments == 0;
  if (count >= least && (open || count <= static_cast<std::size_t>(function.max_arguments))) return;
  lexer_.fail(fmt::format("{} takes {}{} argument{}, not {}", name.text, open ? "at least " : "", least,
                          least == 1 ? "" : "s", count),
              name.begin);
}

Index Parser::call(const Token& name) {
  const auto* const function = find_expression_function(name.text);
  if (function == nullptr) {
    const auto known = expression_function_names();
    lexer_.fail(fmt::format("unknown function `{}`{}", name.text, suggestion(name.text, known)), name.begin);
  }
  advance();
  const bool of_type = function->operation == Operation::size_of || function->operation == Operation::epsilon;
  if (of_type) return type_property(*function, name);
  std::vector<Index> arguments;
  while (!is_symbol(")")) {
    arguments.push_back(conditional());
    if (!is_symbol(")")) expect(",", fmt::format("or `)` in the arguments of {}", name.text));
  }
  advance();
  check_arity(*function, name, arguments.size());
  if (arguments.size() == 1) return build_.add(function->operation, {arguments[0]}, name.begin, last_end_);
  Index result = arguments[0];
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    result = build_.add(function->operation, {result, arguments[i]}, name.begin, last_end_);
  }
  return result;
}

// sizeof(T), sizeof(float), sizeof('float'): a type name means itself, any other identifier what it is bound to.
Index Parser::type_property(const ExpressionFunction& function, const Token& name) {
  const Token type = token_;
  const bool is_name = type.kind == Token::Kind::identifier || type.kind == Token::Kind::name;
  if (!is_name) fail_here(fmt::format("{} takes a type: a type name, or a name that is bound to one", name.text));
  advance();
  const bool literal = type.kind == Token::Kind::name || find_type(type.text) != nullptr;
  if (literal && find_type(type.text) == nullptr) {
    std::vector<std::string> known;
    for (const auto& item : type_table()) known.emplace_back(item.name);
    lexer_.fail(fmt::format("unknown type `{}`{}", type.text, suggestion(type.text, known)), type.begin);
  }
  expect(")", fmt::format("after the type: {} takes one name", name.text));
  const Index argument = literal ? build_.add_constant(Value(type.text), type) : build_.add_name(type);
  return build_.add(function.operation, {argument}, name.begin, last_end_);
}

}  // namespace

void parse_expression(std::string_view text, ParsedExpression& out) {
  if (text.size() > max_expression_bytes) {
    throw ExpressionError(fmt::format("`{}...`: an expression of {} bytes; the most is {}", text.substr(0, 40),
                                      text.size(), max_expression_bytes),
                          max_expression_bytes);
  }
  Parser(text, out).parse();
}

}  // namespace attune
