#include "spec/t1_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>

#include "attune/expression.hpp"
#include "expression/lexer.hpp"
#include "expression/node.hpp"
#include "spec/shortened.hpp"

namespace attune {
namespace {

constexpr int max_nesting = 50;  // lists in list() and after `in`

using Values = std::vector<Value>;

// The variable of a comprehension and its present value; there is none outside.
struct LoopVariable {
  std::string name;
  Value value;
};

class ListReader {
 public:
  ListReader(std::string_view text, ListBudget& budget) : text_(text), lexer_(text, Dialect::python), budget_(budget) {
    advance();
  }

  Values all() {
    Values values = sum();
    if (token_.kind != Token::Kind::end) lexer_.fail("expected `+` or the end of the list", token_.begin);
    return values;
  }

 private:
  Values sum();
  Values term();
  Values elements(std::string_view close);
  Values comprehension(const Expression& element, std::string_view close);
  Values range();
  std::vector<Expression> arguments();
  Expression formula(std::string_view close, bool before_for);
  Value evaluated(const Expression& formula, const LoopVariable* variable);
  bool accepts(const Expression& condition, const LoopVariable& variable);
  std::int64_t integer(const Expression& formula);
  void spend(std::uint64_t steps);

  void advance() {
    last_end_ = token_.end;
    token_ = lexer_.next();
  }
  bool is_symbol(std::string_view text) const { return token_.kind == Token::Kind::symbol && token_.text == text; }
  bool is_word(std::string_view text) const { return token_.kind == Token::Kind::identifier && token_.text == text; }
  void expect(std::string_view symbol) {
    if (!is_symbol(symbol)) lexer_.fail(fmt::format("expected `{}`", symbol), token_.begin);
    advance();
  }
  bool take_call(std::string_view name) {
    if (!is_word(name)) return false;
    advance();
    expect("(");
    return true;
  }
  void require_few(std::uint64_t count) const {
    if (count > max_t1_values) {
      lexer_.fail(fmt::format("more than {} values: a parameter has at most as many", max_t1_values), last_end_);
    }
  }

  std::string_view text_;
  Lexer lexer_;
  ListBudget& budget_;
  Token token_;
  std::uint32_t last_end_ = 0;
  int depth_ = 0;
};

Values ListReader::sum() {
  if (++depth_ > max_nesting) lexer_.fail(fmt::format("lists nested more than {} deep", max_nesting), token_.begin);
  Values values = term();
  while (is_symbol("+")) {
    advance();
    Values more = term();
    require_few(values.size() + more.size());
    std::move(more.begin(), more.end(), std::back_inserter(values));
  }
  --depth_;
  return values;
}

Values ListReader::term() {
  if (take_call("range")) return range();
  if (take_call("list")) {
    Values values = sum();
    expect(")");
    return values;
  }
  for (const auto& [open, close] : {std::pair{"[", "]"}, std::pair{"(", ")"}}) {
    if (!is_symbol(open)) continue;
    advance();
    return elements(close);
  }
  lexer_.fail("expected a list: [1, 2, 4], range(1, 9), [2 * i for i in range(1, 9)], or a sum of lists", token_.begin);
}

Values ListReader::elements(std::string_view close) {
  Values values;
  while (!is_symbol(close)) {
    const Expression element = formula(close, true);
    if (is_word("for")) {
      if (!values.empty()) lexer_.fail("`for` stands after the only element of a list", token_.begin);
      return comprehension(element, close);
    }
    values.push_back(evaluated(element, nullptr));
    require_few(values.size());
    if (!is_symbol(close))
      expect(",");
    else if (close == ")" && values.size() == 1)
      lexer_.fail("one value in parentheses is no list: write [..]", token_.begin);
  }
  advance();
  return values;
}

// Reads what follows the element of [element for name in list if condition].
Values ListReader::comprehension(const Expression& element, std::string_view close) {
  advance();
  LoopVariable variable;
  if (token_.kind != Token::Kind::identifier) lexer_.fail("expected a name after `for`", token_.begin);
  variable.name = token_.text;
  advance();
  if (!is_word("in")) lexer_.fail("expected `in` after the name of `for`", token_.begin);
  advance();
  Values source = sum();
  std::optional<Expression> condition;
  if (is_word("if")) {
    advance();
    condition = formula(close, true);
  }
  if (is_word("for")) lexer_.fail("one `for` in a list; write the values out", token_.begin);
  expect(close);
  Values values;
  for (Value& value : source) {
    variable.value = std::move(value);
    if (!condition || accepts(*condition, variable)) values.push_back(evaluated(element, &variable));
  }
  return values;
}

Values ListReader::range() {
  const std::uint32_t begin = token_.begin;
  const std::vector<Expression> formulas = arguments();
  if (formulas.empty() || formulas.size() > 3) lexer_.fail("range takes 1 to 3 arguments", begin);
  const std::int64_t first = formulas.size() == 1 ? 0 : integer(formulas[0]);
  const std::int64_t end = integer(formulas[formulas.size() == 1 ? 0 : 1]);
  const std::int64_t step = formulas.size() == 3 ? integer(formulas[2]) : 1;
  if (step == 0) lexer_.fail("the step of range must not be 0", begin);
  __extension__ using Wide = __int128;
  const Wide length = step > 0 ? Wide{end} - first : Wide{first} - end;
  const Wide stride = step > 0 ? Wide{step} : -Wide{step};
  const Wide count = length <= 0 ? 0 : (length + stride - 1) / stride;
  require_few(count > static_cast<Wide>(max_t1_values) ? max_t1_values + 1 : static_cast<std::uint64_t>(count));
  spend(static_cast<std::uint64_t>(count));
  Values values;
  for (Wide i = 0; i < count; ++i) values.emplace_back(static_cast<std::int64_t>(first + i * step));
  return values;
}

// Reads up to the closing parenthesis.
std::vector<Expression> ListReader::arguments() {
  std::vector<Expression> formulas;
  while (!is_symbol(")")) {
    formulas.push_back(formula(")", false));
    if (!is_symbol(")")) expect(",");
  }
  advance();
  return formulas;
}

// Reads the words of a formula up to a comma, `close`, or the `for` of its list.
Expression ListReader::formula(std::string_view close, bool before_for) {
  const std::uint32_t begin = token_.begin;
  std::uint32_t end = begin;
  int open = 0;
  while (token_.kind != Token::Kind::end) {
    if (open == 0 && (is_symbol(",") || is_symbol(close) || (before_for && is_word("for")))) break;
    open += is_symbol("(") || is_symbol("[") ? 1 : is_symbol(")") || is_symbol("]") ? -1 : 0;
    if (open < 0) break;
    end = token_.end;
    advance();
  }
  if (token_.kind == Token::Kind::end) lexer_.fail(fmt::format("the list ends without `{}`", close), token_.begin);
  return Expression(text_.substr(begin, end - begin), Dialect::python);
}

Value ListReader::evaluated(const Expression& formula, const LoopVariable* variable) {
  spend(parsed_of(formula).steps);
  std::vector<const Value*> values;
  for (const auto& name : formula.names()) {
    if (variable == nullptr || name != variable->name) {
      throw UsageError(fmt::format("`{}`: unknown name `{}`: a list of values has only the name after its `for`",
                                   shortened(formula.text()), shortened(name)));
    }
    values.push_back(&variable->value);
  }
  const auto result = formula.evaluate(values, nullptr);
  if (const auto* undefined = std::get_if<Undefined>(&result)) {
    const std::string where =
        variable == nullptr ? ""
                            : fmt::format(" ({}={})", shortened(variable->name), shortened(variable->value.text()));
    throw UsageError(shortened(undefined->reason) + where);
  }
  return std::get<Value>(result);
}

bool ListReader::accepts(const Expression& condition, const LoopVariable& variable) {
  const Value value = evaluated(condition, &variable);
  if (value.is_name()) {
    throw UsageError(fmt::format("`{}`: a name is neither true nor false", shortened(condition.text())));
  }
  return value.is_real() ? value.real() != 0 : value != Value(0) && value != Value(false);
}

std::int64_t ListReader::integer(const Expression& formula) {
  const Value value = evaluated(formula, nullptr);
  if (value.is_integer()) return value.integer();
  throw UsageError(fmt::format("`{}`: range takes integers; `//` divides to one", shortened(formula.text())));
}

void ListReader::spend(std::uint64_t steps) {
  if (steps > budget_.steps) throw UsageError("the lists of this document take too long to compute; write values out");
  budget_.steps -= steps;
}

}  // namespace

std::vector<Value> read_value_list(std::string_view text, ListBudget& budget) { return ListReader(text, budget).all(); }

}  // namespace attune
