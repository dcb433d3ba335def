#include "kernel/macro_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "core/include_scan.hpp"
#include "core/source_lexer.hpp"
#include "kernel/line_directive.hpp"

namespace attune {
namespace {

using TokenKind = SourceToken::Kind;

// Returns the kernel's own header of this name. Attune's are none of these.
const Header* find_header(const SourceText& source, std::string_view name) {
  if (names_header_of_attune(name)) return nullptr;
  const auto found = std::ranges::find(source.headers, name, &Header::name);
  return found == source.headers.end() ? nullptr : &*found;
}

struct LeadingDirective {
  std::size_t end = 0;  // 0: the directive may not stand among the leading includes
  bool is_include = false;
};

// Reads the rest of a directive behind its #.
LeadingDirective leading_directive(std::string_view text, const SourceText& source, SourceLexer& lexer) {
  const SourceToken* token = lexer.next();
  const std::string word(token == nullptr ? std::string_view() : token->text);
  if ((word != "include" && word != "pragma") || (token = lexer.next()) == nullptr) return {};
  if (word == "pragma" && token->text != "once") return {};
  if (word == "include") {
    if (token->kind != TokenKind::header_name || token->text.size() < 2) return {};
    const std::string_view name = token->text.substr(1, token->text.size() - 2);
    if (find_header(source, name) != nullptr) return {};
  }
  token = lexer.next();
  if (token != nullptr && token->kind != TokenKind::line_end) return {};
  const std::size_t end = token == nullptr ? text.size() : std::min(text.find('\n', token->begin), text.size() - 1) + 1;
  return {end, word == "include"};
}

// A place of a text, and what stands there instead.
struct Redefinition {
  std::size_t begin, end;
  std::string_view value;
};

const Macro* find_macro(std::span<const Macro> macros, std::string_view name) {
  const auto found = std::ranges::find(macros, name, &Macro::name);
  return found == macros.end() ? nullptr : &*found;
}

// Returns the values that the text gives to these macros by `#define NAME value`. A macro with arguments is another.
std::vector<Redefinition> definitions_in(std::string_view text, std::span<const Macro> macros) {
  std::vector<Redefinition> found;
  SourceLexer lexer(text);
  for (const SourceToken* token = lexer.next(); token != nullptr; token = lexer.next()) {
    if (!token->opens_directive) continue;
    if ((token = lexer.next()) == nullptr) break;
    if (token->text != "define" || (token = lexer.next()) == nullptr) continue;
    const Macro* const macro = find_macro(macros, token->text);
    const std::size_t begin = token->end;
    token = lexer.next();
    if (macro == nullptr || (token != nullptr && token->text == "(" && !token->after_blank)) continue;
    std::size_t end = begin;
    for (; token != nullptr && token->kind != TokenKind::line_end; token = lexer.next()) end = token->end;
    found.push_back({begin, end, macro->value});
    if (token == nullptr) break;
  }
  return found;
}

std::string with_values(const std::string& text, std::span<const Macro> macros) {
  std::string changed;
  std::size_t copied = 0;
  for (const Redefinition& one : definitions_in(text, macros)) {
    changed.append(text, copied, one.begin - copied).append(" ").append(one.value);
    for (std::size_t i = one.begin; i < one.end; ++i)
      if (text[i] == '\n') changed += "\\\n";  // a continued line stays as many lines
    copied = one.end;
  }
  return changed.append(text, copied);
}

// Returns the text with a line for each macro behind its leading includes, and with their values elsewhere.
std::string with_lines(const std::string& name, const std::string& text, const SourceText& source,
                       std::span<const Macro> macros, std::string_view stop) {
  const std::size_t behind = leading_includes(text, source);
  std::string placed = text.substr(0, behind);
  const auto line = 1 + std::count(placed.begin(), placed.end(), '\n');
  if (behind > 0 && !placed.ends_with('\n')) placed += '\n';
  placed += stop;
  for (const Macro& macro : macros) placed += fmt::format("#define {} {}\n", macro.name, macro.value);
  return placed + line_directive(name, line) + with_values(text.substr(behind), macros);
}

// Returns the header of the source with which the text begins, or null.
const Header* first_header(std::string_view text, const SourceText& source) {
  if (leading_includes(text, source) > 0) return nullptr;
  SourceLexer lexer(text);
  const SourceToken* token = lexer.next();
  if (token == nullptr || !token->opens_directive) return nullptr;
  if ((token = lexer.next()) == nullptr || token->text != "include") return nullptr;
  if ((token = lexer.next()) == nullptr || !token->text.starts_with('"') || token->text.size() < 2) return nullptr;
  return find_header(source, token->text.substr(1, token->text.size() - 2));
}

// Returns the header in which the macros stand, or null for the source itself.
const Header* place_of_macros(const SourceText& source) {
  const Header* place = nullptr;
  for (std::size_t depth = 0; depth <= source.headers.size(); ++depth) {
    const Header* const next = first_header(place == nullptr ? source.text : place->text, source);
    if (next == nullptr) return place;
    place = next;
  }
  return nullptr;  // headers that begin with each other
}

}  // namespace

std::size_t leading_includes(std::string_view text, const SourceText& source) {
  std::size_t end = 0;
  SourceLexer lexer(text);
  for (const SourceToken* token = lexer.next(); token != nullptr && token->opens_directive; token = lexer.next()) {
    const LeadingDirective directive = leading_directive(text, source, lexer);
    if (directive.end == 0) break;
    if (directive.is_include) end = directive.end;
  }
  return end;
}

SourceText with_macros(const SourceText& source, std::span<const Macro> macros, std::string_view stop) {
  if (macros.empty()) return source;
  const Header* const place = place_of_macros(source);
  const auto text_of = [&](const std::string& name, const std::string& text, bool is_place) {
    return is_place ? with_lines(name, text, source, macros, stop) : with_values(text, macros);
  };
  SourceText placed{source.name, text_of(source.name, source.text, place == nullptr), {}};
  for (const Header& header : source.headers)
    placed.headers.push_back({header.name, text_of(header.name, header.text, place == &header)});
  return placed;
}

}  // namespace attune
