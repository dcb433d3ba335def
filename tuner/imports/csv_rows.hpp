// Comma-separated values (RFC 4180): rows of texts. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attune {

// Returns the rows, the first of which names the columns. Lines end with LF or CR LF; empty lines between rows are
// skipped. Throws UsageError naming the line for text that is not UTF-8, a quote that is not
// closed, a row with more or fewer fields than the first, two columns of one name, and what exceeds the limits: a field
// of 64 KiB, 4,096 columns, a million rows.
std::vector<std::vector<std::string>> csv_rows(std::string_view text);

}  // namespace attune
