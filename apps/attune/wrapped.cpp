#include "wrapped.hpp"

#include "base/visible_text.hpp"

namespace attune::cli {

std::string wrapped(std::string_view given, std::size_t indent) {
  const std::string shown = visible_text(given);
  std::string_view text = shown;
  std::string lines;
  std::size_t column = indent;
  bool is_first = true;
  while (!text.empty()) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) break;
    text.remove_prefix(begin);
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r\n"));
    text.remove_prefix(word.size());
    if (!is_first && column + 1 + word.size() > terminal_columns) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
    is_first = false;
  }
  return lines;
}

}  // namespace attune::cli
