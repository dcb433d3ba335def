#include "core/include_scan.hpp"

#include <algorithm>

#include "core/identifier.hpp"

namespace attune {
namespace {

constexpr auto npos = std::string_view::npos;

// The part of the C++ lexer that separates directives from comments and literals.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<Include> scan() {
    while (at_ < text_.size()) step();
    return std::move(found_);
  }

 private:
  bool starts(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  // Returns the bytes of a line continuation, a backslash and its line end; 0 if there is none here.
  std::size_t continuation() const { return starts("\\\n") ? 2 : starts("\\\r\n") ? 3 : 0; }

  bool skip_comment() {
    if (starts("//")) {
      while (at_ < text_.size() && text_[at_] != '\n') at_ += std::max<std::size_t>(continuation(), 1);
    } else if (starts("/*")) {
      const auto end = text_.find("*/", at_ + 2);
      at_ = end == npos ? text_.size() : end + 2;
    } else {
      return false;
    }
    at_ = std::min(at_, text_.size());
    return true;
  }

  // Skips R"delimiter( ... )delimiter".
  void skip_raw_string() {
    const auto open = text_.find('(', at_);
    const auto closing = ")" + std::string(text_.substr(at_ + 1, open == npos ? 0 : open - at_ - 1)) + "\"";
    const auto end = open == npos ? npos : text_.find(closing, open);
    at_ = end == npos ? text_.size() : end + closing.size();
  }

  // Skips a string or a character; it ends with its line at the latest.
  void skip_literal() {
    const char quote = text_[at_++];
    while (at_ < text_.size() && text_[at_] != '\n') {
      const char c = text_[at_];
      at_ += c == '\\' ? std::max<std::size_t>(continuation(), 2) : 1;
      if (c == quote) break;
    }
    at_ = std::min(at_, text_.size());
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      if (const auto more = continuation()) {
        at_ += more;
      } else if (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r') {
        ++at_;
      } else if (!starts("/*") || !skip_comment()) {
        return;
      }
    }
  }

  void directive() {
    ++at_;
    skip_blanks();
    if (!starts("include")) return;
    at_ += std::string_view("include").size();
    const bool next = starts("_next");
    if (next) at_ += std::string_view("_next").size();
    if (at_ < text_.size() && is_word(text_[at_])) return;
    skip_blanks();
    if (!starts("\"") && !starts("<")) return;
    const char closing = text_[at_] == '<' ? '>' : '"';
    const auto end = text_.find_first_of(std::string{closing, '\n'}, at_ + 1);
    if (end == npos || text_[end] != closing) return;
    found_.push_back({std::string(text_.substr(at_ + 1, end - at_ - 1)), closing == '"', at_, next});
    at_ = end + 1;
  }

  void step() {
    const char c = text_[at_];
    if (skip_comment()) return;
    if (c == '#' && line_is_blank_) {
      line_is_blank_ = false;
      return directive();
    }
    const bool behind_word = at_ > 0 && is_word(text_[at_ - 1]);
    if (c == '\n') {
      line_is_blank_ = true;
    } else if (c != ' ' && c != '\t' && c != '\r') {
      line_is_blank_ = false;
    }
    if (c == '"') return behind_word && text_[at_ - 1] == 'R' ? skip_raw_string() : skip_literal();
    if (c == '\'' && !behind_word) return skip_literal();  // after a word: 1'000'000, or the L of L'x'
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool line_is_blank_ = true;
  std::vector<Include> found_;
};

}  // namespace

std::vector<Include> find_includes(std::string_view text) { return Scanner(text).scan(); }

}  // namespace attune
