#include "draft/code_tokens.hpp"

#include <algorithm>

namespace attune::draft {
namespace {

bool holds_global(const Tokens& body) {
  return std::ranges::any_of(body, [](const Token& token) { return token.text == "__global__"; });
}

}  // namespace

int step_of(const Token& token) {
  constexpr std::string_view brackets = "([{)]}";
  const std::size_t at = token.kind == SourceToken::Kind::sign ? brackets.find(token.text) : std::string_view::npos;
  return at == std::string_view::npos ? 0 : at < brackets.size() / 2 ? 1 : -1;
}

CodeTokens::CodeTokens(std::string_view source) : source_(source), lexer_(source) {
  while (const SourceToken* token = lexer_.next()) {
    if (token->opens_directive)
      read_directive();
    else if (!skips_ && token->kind != SourceToken::Kind::line_end)
      add(located(*token));
  }
}

Token CodeTokens::located(const SourceToken& token) {
  line_ += static_cast<std::size_t>(std::ranges::count(source_.substr(counted_, token.begin - counted_), '\n'));
  counted_ = token.begin;
  return {token.kind, token.text, token.begin, token.end, line_};
}

// Returns the next token of a directive; a line end when it is over.
Token CodeTokens::next_in_directive() {
  const SourceToken* const token = lexer_.next();
  return token != nullptr ? located(*token)
                          : Token{SourceToken::Kind::line_end, "\n", source_.size(), source_.size(), line_};
}

void CodeTokens::read_directive() {
  const Token word = next_in_directive();
  if (word.kind == SourceToken::Kind::line_end) return;
  if (word.text == "define" && !skips_) return read_macro();
  Tokens rest;
  for (Token token = next_in_directive(); token.kind != SourceToken::Kind::line_end; token = next_in_directive())
    rest.push_back(token);
  const bool is_one_token = rest.size() == 1;
  read_condition(word.text, is_one_token && rest[0].text == "0", is_one_token && rest[0].text == "1");
}

void CodeTokens::read_macro() {
  const Token name = next_in_directive();
  if (name.kind == SourceToken::Kind::line_end) return;
  Macro macro{std::string(name.text), false, {}};
  for (Token token = next_in_directive(); token.kind != SourceToken::Kind::line_end; token = next_in_directive()) {
    if (macro.body.empty() && token.text == "(" && token.begin == name.end) macro.has_arguments = true;
    macro.body.push_back(token);
  }
  if (!macro.has_arguments && holds_global(macro.body)) hiding_.emplace(name.text, macro.body);
  macros_.push_back(std::move(macro));
}

void CodeTokens::read_condition(std::string_view word, bool is_zero, bool is_one) {
  if (word == "if" || word == "ifdef" || word == "ifndef") {
    branches_.push_back({skips_, word == "if" && is_one, depth_});
    skips_ = skips_ || (word == "if" && is_zero);
  } else if (branches_.empty()) {
    return;
  } else if (word == "else" || word.starts_with("elif")) {
    const Branch& branch = branches_.back();
    skips_ = branch.outer_skips || branch.was_taken || depth_ != branch.depth || (word == "elif" && is_zero);
  } else if (word == "endif") {
    skips_ = branches_.back().outer_skips;
    branches_.pop_back();
  }
}

void CodeTokens::add(const Token& token) {
  if (token.text == "{") ++depth_;
  if (token.text == "}") --depth_;
  const auto macro = token.is_word() ? hiding_.find(token.text) : hiding_.end();
  if (macro == hiding_.end())
    code_.push_back(token);
  else
    code_.insert(code_.end(), macro->second.begin(), macro->second.end());
}

std::size_t closing(Part part, std::size_t at) {
  int depth = 0;
  for (; at < part.size(); ++at) {
    depth += step_of(part[at]);
    if (depth <= 0) break;
  }
  return at;
}

Part inside(Part part, std::size_t at) {
  const std::size_t end = closing(part, at);
  return end < part.size() ? part.subspan(at + 1, end - at - 1) : Part();
}

std::string text_of(Part part) {
  std::string text;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (i > 0 && part[i].begin != part[i - 1].end) text += ' ';
    text += part[i].text;
  }
  return text;
}

std::vector<Part> split_at_commas(Part part, bool angles) {
  std::vector<Part> parts;
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

std::size_t closing_angle(Part part, std::size_t at) {
  int brackets = 0, angles = 0;
  for (; at < part.size(); ++at) {
    brackets += step_of(part[at]);
    if (brackets > 0) continue;
    if (part[at].text == "<") ++angles;
    if (part[at].text == ">" && --angles == 0) return at;
    if (part[at].text == ";" || brackets < 0) break;
  }
  return part.size();
}

bool is_tripled(Part part, std::size_t at, std::string_view sign) {
  if (at + 2 >= part.size()) return false;
  for (std::size_t i = at; i < at + 3; ++i)
    if (part[i].text != sign || (i > at && part[i].begin != part[i - 1].end)) return false;
  return true;
}

}  // namespace attune::draft
