// The searches to score: made here by strategies, or read from other programs' traces.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "request.hpp"
#include "spaces.hpp"

namespace attune::cli {

// All repeats of one strategy, for each of the spaces; none for a space that it did not search.
struct Searches {
  std::string strategy;
  std::vector<std::vector<Visits>> by_space;
};

// Runs one search for each of request.strategies. The seed determines it, whatever the number of threads.
std::vector<Searches> run_searches(const ScoreRequest& request, const Spaces& spaces);

// Reads lines {"file": name without .json.xz, "strategy": "...", "repeat": n, "rows": [positions in the file, in
// order]}. Returns one Searches for each strategy, in order of appearance. Lines of a copy count for the kept file;
// lines of files not given are skipped. Throws UsageError that names the file and the line, or the two given files that
// have one name.
std::vector<Searches> read_traces(const std::string& file, const Spaces& spaces);

}  // namespace attune::cli
