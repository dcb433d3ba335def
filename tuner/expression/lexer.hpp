// Lexer: the words of an expression, one at a time. The parsers use it, and so does code that splits lists of
// expressions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "attune/expression.hpp"

namespace attune {

struct OperationWord;

struct Token {
  enum class Kind { end, integer, real, name, identifier, symbol };
  Kind kind = Kind::end;
  std::string_view text;  // as written, but quoted names without quotes; attune's `and` and `or` are && and ||
  std::uint32_t begin = 0, end = 0;
  std::uint64_t integer = 0;  // up to 2^63, which is legal only after a minus
  double real = 0;
  const OperationWord* operation = nullptr;  // the operation of a symbol; if there are two, the looser one
};

class Lexer {
 public:
  // `text` must outlive the lexer.
  explicit Lexer(std::string_view text, Dialect dialect = Dialect::attune) : text_(text), dialect_(dialect) {}
  // Returns the next word. Throws ExpressionError.
  Token next();
  [[noreturn]] void fail(const std::string& message, std::size_t offset) const;

 private:
  Token number(std::size_t begin);
  void read_number(Token& token) const;
  Token quoted(std::size_t begin);
  Token identifier(std::size_t begin);
  Token symbol(std::size_t begin);
  Token token(Token::Kind kind, std::size_t begin, std::size_t end);

  std::string_view text_;
  Dialect dialect_;
  std::size_t at_ = 0;
};

}  // namespace attune
