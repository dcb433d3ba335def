// ExpressionReader: the common part of both dialects' parsers: words, operators, constants, lists and limits. A parser
// derives from it and adds its own grammar. Only the parsers use it. One thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "expression/builder.hpp"
#include "expression/lexer.hpp"
#include "expression/words.hpp"

namespace attune {

class ExpressionReader {
 public:
  // Reads all of the text as one expression. Throws ExpressionError.
  void parse();

 protected:
  using Index = NodeBuilder::Index;

  // `text` and `out` must outlive the reader.
  ExpressionReader(std::string_view text, Dialect dialect, ParsedExpression& out)
      : lexer_(text, dialect), build_(lexer_, out), dialect_(dialect) {
    advance();
  }
  ~ExpressionReader() = default;
  ExpressionReader(const ExpressionReader&) = delete;
  ExpressionReader& operator=(const ExpressionReader&) = delete;

  virtual Index expression() = 0;
  virtual Index word() = 0;       // a value that starts with an identifier
  virtual Index bracketed() = 0;  // a value that starts with `(` or `[`
  // Returns the node whose value an operation takes as that of `node`. Python's `and` and `or` give truth values until
  // their value itself is needed.
  virtual Index value_of(Index node) { return node; }
  // Throws because of the current word, which follows a complete expression.
  [[noreturn]] virtual void fail_after() const;

  // Counts the recursion depth of the parser.
  class Deeper {
   public:
    explicit Deeper(ExpressionReader& reader) : reader_(reader) {
      if (++reader_.depth_ > max_expression_nesting) {
        reader_.fail_here("nested more than " + std::to_string(max_expression_nesting) + " deep");
      }
    }
    ~Deeper() { --reader_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    ExpressionReader& reader_;
  };

  // Reads an operand, and then operators, from `loosest` up to products, with their other operands.
  Index left_associative(Level loosest = Level::bit_or);
  Index unary();
  Index power();
  Index primary();
  // Reads values up to `close`, and `close` itself. `where` is for the message: "in the list".
  std::vector<Index> list_until(std::string_view close, const std::string& where);
  // Returns the function `name`. Throws for an unknown function.
  const OperationWord& function_of(const Token& name) const;
  // Reads a call of `function` from the current word, its `(`.
  Index call(const OperationWord& function, const Token& name);

  void advance() {
    last_end_ = token_.end;
    token_ = lexer_.next();
  }
  bool is_symbol(std::string_view text) const { return token_.kind == Token::Kind::symbol && token_.text == text; }
  bool is_word(std::string_view text) const { return token_.kind == Token::Kind::identifier && token_.text == text; }
  bool take(std::string_view symbol);
  void expect(std::string_view symbol, std::string_view where);
  std::string found() const;  // the current word, for a message
  [[noreturn]] void fail_here(const std::string& message) const { lexer_.fail(message, token_.begin); }
  // Returns the current word if it is an operator of these levels, else null.
  const OperationWord* find(Level first, Level last) const {
    const OperationWord* const word = token_.operation;
    return word != nullptr && word->level >= first && word->level <= last ? word : nullptr;
  }
  const OperationWord* find(Level level) const { return find(level, level); }

  Lexer lexer_;
  NodeBuilder build_;
  const Dialect dialect_;
  Token token_;
  std::uint32_t last_end_ = 0;  // of the preceding token
  int depth_ = 0;
  bool trailing_comma_ = false;  // whether the list that was read last has one

 private:
  void check_arity(const OperationWord& function, const Token& name, std::size_t count) const;
};

}  // namespace attune
