// The text and the JSON of `attune ladder`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernel/roofline.hpp"
#include "session/side_by_side.hpp"

namespace attune::cli {

// A ladder's configurations, measured side by side for one problem: its steps in their order, then the default, the
// record and the copy, as far as they exist.
struct LadderTable {
  const KernelSpec& spec;
  const Ladder& ladder;
  Problem problem;
  SideBySide compared;
  std::optional<Bound> bound;  // of the record, else of the default
};

// Returns the table of steps with the speed-up of each over the one before and over the first. Below it stands what
// each step changes of the one before; with `verbose` all configurations stand there whole.
std::string ladder_text(const LadderTable& table, bool verbose);
// Returns a line for each row.
std::vector<nlohmann::ordered_json> ladder_lines(const LadderTable& table);

// Returns a table with a row for each problem of a sweep, and a column for each configuration that is legal for one of
// them: its time, and its rate where that fits. `tables` has one for each problem, and is not empty. What each step
// changes stands below, as above.
std::string sweep_text(const std::vector<LadderTable>& tables, const std::string& swept, bool verbose);

}  // namespace attune::cli
