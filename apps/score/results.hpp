// The reported results: scores and fractions by strategy and space, and their means.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "score/fractions.hpp"
#include "searches.hpp"

namespace attune::cli {

using Fractions = std::array<std::optional<double>, fraction_evaluations.size()>;

// The result of a strategy on one space, or the mean over several.
struct StrategyResult {
  std::optional<Score> score;  // nothing where some space has no span, or was not searched
  Fractions fractions;         // by number of evaluations; nothing beyond the budget
  double evaluations = 0;      // of one search, on average
};

// One row of files or of groups of files, with one result for each strategy.
struct ResultRow {
  std::string name;
  std::vector<std::size_t> spaces;      // positions
  Fractions random;                     // the exact expectation of random search
  std::vector<StrategyResult> results;  // in the order of the searches
};

struct Report {
  std::vector<std::string> strategies;
  std::vector<ResultRow> files;    // in the order of the spaces
  std::vector<ResultRow> kernels;  // means per kernel, if the request asks for them
  ResultRow total;
};

Report make_report(const ScoreRequest& request, const Spaces& spaces, const std::vector<Searches>& searches);

}  // namespace attune::cli
