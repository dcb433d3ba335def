// Tables of cases written as text, so that a case takes a line or less.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace attune {

// Returns the parts of `text` between the marks, without the blanks around them.
inline std::vector<std::string> parted(std::string_view text, std::string_view mark) {
  constexpr std::string_view blanks = " \n";
  std::vector<std::string> parts;
  for (bool more = true; more;) {
    const std::size_t end = text.find(mark);
    std::string_view part = text.substr(0, end);
    part.remove_prefix(std::min(part.find_first_not_of(blanks), part.size()));
    part = part.substr(0, part.find_last_not_of(blanks) + 1);
    parts.emplace_back(part);
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + mark.size());
  }
  return parts;
}

// Returns the cells of each case. Cases are parted by ` ;; ` or a new line, cells by ` => `. A line that begins with
// `=>` goes on with the case before it, one that begins with `//` is a comment. In a cell, \n stands for a new line.
inline std::vector<std::vector<std::string>> cases(std::string_view table) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& line : parted(table, "\n")) {
    if (line.starts_with("//")) continue;
    for (const std::string& text : parted(line, ";;")) {
      if (text.empty()) continue;
      const bool goes_on = text.starts_with("=>");
      if (!goes_on) all.emplace_back();
      for (std::string cell : parted(goes_on ? std::string_view(text).substr(2) : text, "=>")) {
        for (std::size_t at = 0; (at = cell.find("\\n", at)) != std::string::npos; ++at) cell.replace(at, 2, 1, '\n');
        all.back().push_back(cell);
      }
    }
  }
  return all;
}

inline std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

}  // namespace attune
