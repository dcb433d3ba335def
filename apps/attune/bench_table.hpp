// The text of `attune bench`: one table for each regime, one for its steps.
#pragma once

#include <string>
#include <vector>

#include "session/side_by_side.hpp"

namespace attune::cli {

using Cells = std::vector<std::string>;
// Returns a Markdown table whose columns are aligned. The first row is its head; the last column is not padded.
std::string table_text(const std::vector<Cells>& rows);

// Returns what a regime's rounds were and a table of its rows, with the details of failed rows below. `protocol`: what
// ended the rounds.
std::string side_by_side_text(const SideBySide& compared, const KernelSpec& spec, const Problem& problem,
                              const Protocol& protocol);

// Returns a table of the steps of every row; "" where none were timed.
std::string steps_text(const SideBySide& compared);

}  // namespace attune::cli
