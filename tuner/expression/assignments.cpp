#include "expression/assignments.hpp"

#include <fmt/format.h>

#include <cctype>

#include "attune/error.hpp"
#include "attune/expression.hpp"
#include "base/identifier.hpp"

namespace attune {
namespace {

bool separates_items(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Splits at separators outside quotes (and outside brackets, if `brackets`). `with_empty` keeps empty pieces.
std::vector<std::string> split(std::string_view text, bool (*separates)(char), bool brackets, bool with_empty) {
  std::vector<std::string> pieces;
  std::string piece;
  char quote = 0;
  int depth = 0;
  const auto end_piece = [&] {
    if (with_empty || !piece.empty()) pieces.push_back(piece);
    piece.clear();
  };
  for (const char c : text) {
    if (quote == 0 && depth == 0 && separates(c)) {
      end_piece();
      continue;
    }
    piece += c;
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (brackets) {
      depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    }
  }
  end_piece();
  return pieces;
}

}  // namespace

std::vector<Assignment> parse_assignments(std::string_view text) {
  std::vector<Assignment> assignments;
  for (const auto& item : split(text, separates_items, false, false)) {
    const std::size_t sign = item.find('=');
    if (sign == std::string::npos) throw UsageError(fmt::format("`{}`: expected name=value, as in n=2**28", item));
    Assignment assignment{item.substr(0, sign), item.substr(sign + 1)};
    if (!is_identifier(assignment.name)) {
      throw UsageError(fmt::format("`{}`: expected a name before the `=`, found `{}`", item, assignment.name));
    }
    if (assignment.values.empty()) throw UsageError(fmt::format("`{}`: expected a value after the `=`", item));
    assignments.push_back(std::move(assignment));
  }
  return assignments;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  return split(
      text, [](char c) { return c == ','; }, true, true);
}

Value parse_constant(std::string_view text, std::string_view item) {
  if (is_qualified_name(text) && text != "true" && text != "false") return Value(text);
  try {
    const Expression expression(text);
    for (const auto& name : expression.names()) {
      throw UsageError(
          fmt::format("`{}`: `{}` is a name inside a formula; expected a constant such as 4096 or 2**28", item, name));
    }
    const auto result = expression.evaluate(Scope{});
    if (const auto* undefined = std::get_if<Undefined>(&result)) {
      throw UsageError(fmt::format("`{}`: {}", item, undefined->reason));
    }
    return std::get<Value>(result);
  } catch (const ExpressionError& error) {
    throw UsageError(
        fmt::format("`{}`: expected a constant such as 4096, 2**28, true or float; {}", item, error.what()));
  }
}

Bindings parse_bindings(std::string_view text) {
  Bindings bindings;
  for (const auto& [name, values] : parse_assignments(text)) {
    if (bindings.find(name) != nullptr) throw UsageError(fmt::format("`{}` is given twice in `{}`", name, text));
    bindings.set(name, parse_constant(values, fmt::format("{}={}", name, values)));
  }
  return bindings;
}

}  // namespace attune
