#include "spec/unquoted.hpp"

#include <algorithm>
#include <cctype>

#include "attune/expression.hpp"

namespace attune {
namespace {

constexpr auto none = std::string_view::npos;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  return begin == none ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

std::string_view line_of(std::string_view document, std::size_t line) {
  for (; line > 1 && !document.empty(); --line)
    document.remove_prefix(std::min(document.find('\n'), document.size() - 1) + 1);
  return document.substr(0, document.find('\n'));
}

// Returns the offset behind the string that begins at `at`, or `none` if the string does not end.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const std::size_t end = text.find(text[at], at + 1);
  return end == none ? none : end + 1;
}

std::string_view without_comment(std::string_view line) {
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#') return line.substr(0, i);
    if (line[i] != '"' && line[i] != '\'') continue;
    i = end_of_string(line, i);
    if (i == none) return line;
    --i;
  }
  return line;
}

bool is_of_key(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

// Returns the key of "key = value", or "" if the text does not have this form.
std::string_view key_of(std::string_view text) {
  const std::size_t sign = text.find('=');
  if (sign == none || text.substr(sign, 2) == "==") return {};
  const std::string_view key = trimmed(text.substr(0, sign));
  return std::all_of(key.begin(), key.end(), is_of_key) ? key : std::string_view();
}

bool is_expression(std::string_view text) {
  try {
    return Expression(std::string(text)).text().size() > 0;
  } catch (const ExpressionError&) {
    return false;
  }
}

// Returns whether the text is a number, a date or a truth value.
bool stands_without_quotes(std::string_view text) {
  if (text == "true" || text == "false" || text == "inf" || text == "nan") return true;
  return std::isdigit(static_cast<unsigned char>(text.back())) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) { return is_of_key(c) || c == '+' || c == ':'; }) &&
         (std::isdigit(static_cast<unsigned char>(text.front())) != 0 || text.front() == '-' || text.front() == '+');
}

// A value, or a part of one: elements of arrays and members of tables.
class ValueText {
 public:
  explicit ValueText(std::string_view text) : text_(text) {}

  // Returns the value with quotes, or nothing if an element is not an expression.
  std::optional<std::string> quoted() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (std::string_view(" \t[]{},").find(c) != none) {
        copy(at_ + 1);
      } else if (c == '"' || c == '\'') {
        const std::size_t end = end_of_string(text_, at_);
        if (end == none) return std::nullopt;
        copy(end);
      } else if (!take_bare()) {
        return std::nullopt;
      }
    }
    return made_;
  }

 private:
  void copy(std::size_t end) {
    made_ += text_.substr(at_, end - at_);
    at_ = end;
  }

  std::size_t end_of_element() const {
    int depth = 0;
    for (std::size_t i = at_; i < text_.size(); ++i) {
      if (text_[i] == '(') ++depth;
      if (text_[i] == ')') --depth;
      if (depth <= 0 && std::string_view(",]}").find(text_[i]) != none) return i;
    }
    return text_.size();
  }

  bool take_bare() {
    const std::string_view element = text_.substr(at_, end_of_element() - at_);
    if (!key_of(element).empty()) {
      copy(at_ + element.find('=') + 1);
      return true;
    }
    const std::string_view text = trimmed(element);
    if (text.empty()) return false;  // a lone carriage return
    if (!stands_without_quotes(text)) {
      if (!is_expression(text)) return false;
      made_ += '"' + std::string(text) + '"';
      at_ += text.size();
      return true;
    }
    copy(at_ + text.size());
    return true;
  }

  const std::string_view text_;
  std::size_t at_ = 0;
  std::string made_;
};

// Returns a value with quotes. A value that is one text need not be an expression: `entry = smooth<T, BLOCK>`.
std::optional<std::string> quoted(std::string_view value) {
  const bool is_word =
      !value.empty() && (std::isalpha(static_cast<unsigned char>(value.front())) != 0 || value.front() == '_');
  if (is_word && value.find_first_of("\"'\\") == none) return '"' + std::string(value) + '"';
  return ValueText(value).quoted();
}

}  // namespace

std::optional<QuotedLine> find_unquoted(std::string_view document, std::size_t line) {
  const std::string_view wrong = trimmed(without_comment(line_of(document, line)));
  std::string_view key = key_of(wrong);
  if (key.empty() && wrong.starts_with('[')) return std::nullopt;  // the name of a section
  const std::string_view value = key.empty() ? wrong : trimmed(wrong.substr(wrong.find('=') + 1));
  const std::optional<std::string> right = key.empty() ? ValueText(value).quoted() : quoted(value);
  if (!right || *right == value) return std::nullopt;
  if (!key.empty()) return QuotedLine{std::string(key), std::string(key) + " = " + *right};
  while (key.empty() && --line > 0) key = key_of(trimmed(without_comment(line_of(document, line))));
  return key.empty() ? std::nullopt : std::optional(QuotedLine{std::string(key), *right});
}

}  // namespace attune
