#include "core/include_scan.hpp"

#include "core/source_lexer.hpp"

namespace attune {

std::vector<Include> find_includes(std::string_view text) {
  std::vector<Include> found;
  SourceLexer lexer(text);
  while (const SourceToken* token = lexer.next()) {
    if (!token->opens_directive) continue;
    token = lexer.next();
    const bool next = token && token->text == "include_next";
    if (!next && (!token || token->text != "include")) continue;
    token = lexer.next();
    if (!token || token->kind != SourceToken::Kind::header_name) continue;
    const std::string_view name = token->text.substr(1, token->text.size() - 2);
    found.push_back({std::string(name), token->text.front() == '"', token->begin, next});
  }
  return found;
}

}  // namespace attune
