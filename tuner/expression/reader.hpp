// ExpressionReader: the common part of both dialects' parsers: words, operator tables, constants, lists and limits. A
// parser derives from it and adds its grammar. Only the parsers use it; one thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expression/builder.hpp"
#include "expression/lexer.hpp"

namespace attune {

struct Operator {
  std::string_view symbol;
  NodeKind operation;
};

// The part of a dialect's grammar that is tables.
struct Syntax {
  // Left-associative operators that bind tighter than comparisons, loosest level first.
  std::span<const std::span<const Operator>> levels;
  std::span<const Operator> signs;
  NodeKind power;
  std::span<const ExpressionFunction> functions;
};

class ExpressionReader {
 public:
  // Reads all of the text as one expression. Throws ExpressionError.
  void parse();

 protected:
  using Index = NodeBuilder::Index;

  // All references must outlive the reader.
  ExpressionReader(std::string_view text, Dialect dialect, const Syntax& syntax, ParsedExpression& out)
      : lexer_(text, dialect), build_(lexer_, out), syntax_(syntax) {
    advance();
  }
  ~ExpressionReader() = default;
  ExpressionReader(const ExpressionReader&) = delete;
  ExpressionReader& operator=(const ExpressionReader&) = delete;

  virtual Index expression() = 0;
  virtual Index word() = 0;       // a value that starts with an identifier
  virtual Index bracketed() = 0;  // a value that starts with `(` or `[`
  // Returns the node whose value an operation takes for `node`. Python's and / or are truth values until a value is
  // wanted.
  virtual Index value_of(Index node) { return node; }
  // Throws for the present word, which follows a complete expression.
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

  Index left_associative(std::size_t level = 0);
  Index unary();
  Index power();
  Index primary();
  // Reads values up to `close` and takes it. `where` is for the message: "in the list".
  std::vector<Index> list_until(std::string_view close, const std::string& where);
  // Reads a name and `(`, the present word. Throws for an unknown function.
  const ExpressionFunction& function_of(const Token& name) const;
  Index call(const ExpressionFunction& function, const Token& name);

  void advance() {
    last_end_ = token_.end;
    token_ = lexer_.next();
  }
  bool is_symbol(std::string_view text) const { return token_.kind == Token::Kind::symbol && token_.text == text; }
  bool is_word(std::string_view text) const { return token_.kind == Token::Kind::identifier && token_.text == text; }
  bool take(std::string_view symbol);
  void expect(std::string_view symbol, std::string_view where);
  std::string found() const;  // the present word, for a message
  [[noreturn]] void fail_here(const std::string& message) const { lexer_.fail(message, token_.begin); }
  const Operator* find(std::span<const Operator> operators) const;

  Lexer lexer_;
  NodeBuilder build_;
  const Syntax& syntax_;
  Token token_;
  std::uint32_t last_end_ = 0;  // of the token before
  int depth_ = 0;
  bool trailing_comma_ = false;  // of the list that was read last

 private:
  void check_arity(const ExpressionFunction& function, const Token& name, std::size_t count) const;
};

}  // namespace attune
