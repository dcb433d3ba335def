#include "core/include_scan.hpp"

#include <utility>

#include "core/source_lexer.hpp"

namespace attune {
namespace {

using TokenKind = SourceToken::Kind;

bool is_operator(std::string_view word) {
  return word == "__has_include" || word == "__has_include_next" || word == "__has_embed";
}

class DirectiveReader {
 public:
  explicit DirectiveReader(std::string_view text) : text_(text), lexer_(text) {}

  std::vector<Include> read() {
    while (next())
      if (token_->opens_directive && next()) read_directive(token_->text);
    return std::move(found_);
  }

 private:
  bool next() { return (token_ = lexer_.next()) != nullptr; }
  bool next_of_line() { return next() && token_->kind != TokenKind::line_end; }

  void read_directive(std::string_view word) {
    using Kind = Include::Kind;
    if (word == "include" || word == "import") return read_name(Kind::opens);
    if (word == "include_next") return read_name(Kind::next);
    if (word == "embed") return read_name(Kind::embeds);
    if (word == "if" || word == "elif") return read_operands({});
    if (word == "define") read_definition();
  }

  void read_name(Include::Kind kind) {
    if (!next_of_line()) return;
    if (token_->kind == TokenKind::header_name) return add(token_->text, token_->begin, kind);
    found_.push_back({"", false, token_->begin, kind});
  }

  // If __has_include names a parameter of a macro, the parameter stands for the literal of a call.
  void read_definition() {
    if (!next_of_line() || !next_of_line()) return;
    const SourceToken first = *token_;
    std::string parameters = " __VA_ARGS__ ";
    if (first.text == "(" && !first.after_blank)
      while (next_of_line() && token_->text != ")") parameters.append(token_->text) += ' ';
    read_operands(parameters, first);
  }

  // Reads the rest of the line: what follows `word (`. `open` is the token before it.
  void read_operands(const std::string& parameters, SourceToken open = {}) {
    SourceToken word;
    while (next_of_line()) {
      if (open.text == "(" && word.kind == TokenKind::word) read_operand(word, parameters);
      word = std::exchange(open, *token_);
    }
  }

  void read_operand(const SourceToken& word, const std::string& parameters) {
    const char first = token_->text.front();
    const bool in_condition = parameters.empty();
    if (token_->kind == TokenKind::header_name) return add(token_->text, token_->begin, Include::Kind::asks);
    if (in_condition && (first == '<' || first == '"')) {
      const std::size_t end = text_.find_first_of(first == '<' ? ">\n" : "\"\n", token_->begin + 1);
      if (end != std::string_view::npos && text_[end] != '\n')
        add(text_.substr(token_->begin, end + 1 - token_->begin), token_->begin, Include::Kind::asks);
    } else if (is_operator(word.text) &&
               parameters.find(std::string(" ").append(token_->text) += ' ') == parameters.npos) {
      found_.push_back({"", false, word.begin, Include::Kind::asks});
    }
  }

  void add(std::string_view spelled, std::size_t offset, Include::Kind kind) {
    found_.push_back({std::string(spelled.substr(1, spelled.size() - 2)), spelled.front() == '"', offset, kind});
  }

  const std::string_view text_;
  SourceLexer lexer_;
  const SourceToken* token_ = nullptr;
  std::vector<Include> found_;
};

}  // namespace

std::vector<Include> find_includes(std::string_view text) { return DirectiveReader(text).read(); }

}  // namespace attune
