// Tables of the command line.
#pragma once

#include <string>
#include <vector>

namespace attune::cli {

using Cells = std::vector<std::string>;

// Returns the rows one below the other, two blanks between columns; the first row is the head. Control characters are
// shown. The first column stands left, and its text is broken where the table would be wider than the terminal, between
// words if possible. The other columns stand right, and their heads are broken within the width of their cells. A
// column without cells is left out. Returns "" for no rows.
std::string table_text(std::vector<Cells> rows);

}  // namespace attune::cli
