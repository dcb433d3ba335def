// Tables of the command line.
#pragma once

#include <string>
#include <vector>

namespace attune::cli {

using Cells = std::vector<std::string>;

// Returns the rows one below the other, two blanks between columns; the first row is the head. The first column stands
// left, and its text is broken between words where the table would be wider than the terminal. The other columns stand
// right, and their heads are broken within the width of their cells. A column without cells is left out.
std::string table_text(const std::vector<Cells>& rows);

}  // namespace attune::cli
