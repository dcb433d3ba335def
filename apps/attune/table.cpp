#include "table.hpp"

#include <algorithm>
#include <sstream>

#include "apps/terminal/help_text.hpp"
#include "base/visible_text.hpp"

namespace attune::cli {
namespace {

constexpr std::size_t gap = 2, least_first_columns = 12;

std::size_t longest_word(const std::string& text) {
  std::size_t longest = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) longest = std::max(longest, columns_of(word));
  return longest;
}

// A word that is longer than a line is cut.
Cells lines_within(const std::string& cell, std::size_t width) {
  Cells lines;
  std::istringstream text(wrapped(cell, width, 0));
  for (std::string line; std::getline(text, line);) {
    for (; columns_of(line) > width; line.erase(0, lines.back().size())) lines.push_back(first_columns(line, width));
    lines.push_back(line);
  }
  if (lines.empty()) lines.emplace_back();
  return lines;
}

std::string blanks(std::size_t count) { return std::string(count, ' '); }

std::vector<Cells> without_empty_columns(const std::vector<Cells>& rows) {
  std::vector<Cells> kept(rows.size());
  for (std::size_t c = 0; c < rows.front().size(); ++c) {
    const bool has_cells =
        std::any_of(rows.begin() + 1, rows.end(), [&](const Cells& row) { return c < row.size() && !row[c].empty(); });
    if (c > 0 && !has_cells) continue;
    for (std::size_t r = 0; r < rows.size(); ++r) kept[r].push_back(c < rows[r].size() ? rows[r][c] : "");
  }
  return kept;
}

// Returns how wide the columns are; the first one takes what the others leave.
std::vector<std::size_t> widths_of(const std::vector<Cells>& rows) {
  std::vector<std::size_t> widths;
  for (const std::string& head : rows.front()) widths.push_back(longest_word(head));
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c) widths[c] = std::max(widths[c], columns_of(rows[r][c]));
  std::size_t others = 0;
  for (std::size_t c = 1; c < widths.size(); ++c) others += gap + widths[c];
  const std::size_t all = output_columns();
  widths[0] = std::min(widths[0], std::max(all > others ? all - others : 0, least_first_columns));
  return widths;
}

// Lines of a cell stand at the row's end if it is the head, else at its beginning.
void add_row(std::string& text, const Cells& row, const std::vector<std::size_t>& widths, bool is_head) {
  std::vector<Cells> cells;
  std::size_t height = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    cells.push_back(lines_within(row[c], widths[c]));
    height = std::max(height, cells.back().size());
  }
  for (std::size_t i = 0; i < height; ++i) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::size_t above = is_head ? height - cells[c].size() : 0;
      const std::string part = i < above || i - above >= cells[c].size() ? "" : cells[c][i - above];
      const std::size_t left = widths[c] - std::min(widths[c], columns_of(part));
      line += c == 0 ? part + blanks(left) : blanks(gap + left) + part;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
}

}  // namespace

std::string table_text(std::vector<Cells> rows) {
  if (rows.empty()) return "";
  for (Cells& row : rows)
    for (std::string& cell : row) cell = visible_text(cell);
  const std::vector<Cells> kept = without_empty_columns(rows);
  const std::vector<std::size_t> widths = widths_of(kept);
  std::string text;
  for (std::size_t r = 0; r < kept.size(); ++r) add_row(text, kept[r], widths, r == 0);
  return text;
}

}  // namespace attune::cli
