#include "draft/code_tokens.hpp"

#include <algorithm>

namespace attune::draft {

CodeTokens::CodeTokens(std::string_view source) : lexer_(source) {
  while (const SourceToken* token = lexer_.next()) {
    if (token->opens_directive) {
      read_directive();
    } else if (!skips_ && token->kind != SourceToken::Kind::line_end) {
      depth_ += token->text == "{" ? 1 : token->text == "}" ? -1 : 0;
      code_.push_back({token->kind, token->text, token->after_blank});
    }
  }
}

void CodeTokens::read_directive() {
  DraftTokens line;
  const SourceToken* token = lexer_.next();
  for (; token != nullptr && token->kind != SourceToken::Kind::line_end; token = lexer_.next())
    line.push_back({token->kind, token->text, token->after_blank});
  if (line.empty()) return;
  if (line[0].text != "define") return read_condition(line[0].text, line.size() == 2 ? line[1].text : "");
  if (skips_ || line.size() < 2) return;
  const bool has_arguments = line.size() > 2 && line[2].text == "(" && !line[2].after_blank;
  macros_.push_back({std::string(line[1].text), has_arguments, DraftTokens(line.begin() + 2, line.end())});
}

void CodeTokens::read_condition(std::string_view word, std::string_view condition) {
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    branches_.push_back({skips_, word == "if" && condition == "1", depth_});
    skips_ = skips_ || (word == "if" && condition == "0");
  } else if (branches_.empty()) {
    return;
  } else if (word == "else" || word.starts_with("elif")) {
    const Branch& branch = branches_.back();
    skips_ = branch.outer_skips || branch.was_taken || depth_ != branch.depth || (word == "elif" && condition == "0");
  } else if (word == "endif") {
    skips_ = branches_.back().outer_skips;
    branches_.pop_back();
  }
}

int step_of(const DraftToken& token) {
  constexpr std::string_view brackets = "([{)]}";
  const std::size_t at = token.kind == SourceToken::Kind::sign ? brackets.find(token.text) : std::string_view::npos;
  return at == std::string_view::npos ? 0 : at < brackets.size() / 2 ? 1 : -1;
}

std::size_t position_of(TokenSpan part, std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find(part, text, &DraftToken::text) - part.begin());
}

bool holds(TokenSpan part, std::string_view text) { return position_of(part, text) < part.size(); }

std::size_t closing(TokenSpan part, std::size_t at) {
  int depth = 0;
  for (; at < part.size(); ++at) {
    depth += step_of(part[at]);
    if (depth <= 0) break;
  }
  return at;
}

TokenSpan inside(TokenSpan part, std::size_t at) {
  const std::size_t end = closing(part, at);
  return end < part.size() ? part.subspan(at + 1, end - at - 1) : TokenSpan();
}

std::string text_of(TokenSpan part) {
  std::string text;
  for (const DraftToken& token : part) {
    if (token.after_blank && !text.empty()) text += ' ';
    text += token.text;
  }
  return text;
}

std::vector<TokenSpan> split_at_commas(TokenSpan part, bool angles) {
  std::vector<TokenSpan> parts;
  if (part.empty()) return parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < part.size(); ++at) {
    depth += step_of(part[at]);
    if (angles && part[at].text == "<") ++depth;
    if (angles && part[at].text == ">" && !(at > 0 && part[at - 1].text == "-")) --depth;
    if (depth > 0 || part[at].text != ",") continue;
    parts.push_back(part.subspan(begin, at - begin));
    begin = at + 1;
  }
  parts.push_back(part.subspan(begin));
  return parts;
}

}  // namespace attune::draft
