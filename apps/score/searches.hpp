// The searches that are scored: made here by strategies, or read from what other programs did.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "request.hpp"
#include "spaces.hpp"

namespace attune::cli {

// All repeats of one strategy, for each of the spaces; none where it did not search that space.
struct Searches {
  std::string strategy;
  std::vector<std::vector<Visits>> by_space;
};

// One for each of request.strategies. Deterministic by the seed, whatever the number of threads.
std::vector<Searches> run_searches(const ScoreRequest& request, const Spaces& spaces);

// Lines {"file": name without .json.xz, "strategy": "...", "repeat": n, "rows": [positions in the file, in order]}, one
// Searches for each strategy in order of appearance. Lines of a copy count for the file that is kept. Files that were
// not given are passed over. Throws UsageError naming file and line, or two given files that a line cannot tell apart.
std::vector<Searches> read_traces(const std::string& file, const Spaces& spaces);

}  // namespace attune::cli
