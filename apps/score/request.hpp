// The request of attune-score.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attune::cli {

struct ScoreRequest {
  std::vector<std::string> files;
  std::vector<std::string> strategies;  // NAME[:options], all known
  std::vector<std::string> traces;      // files of visits made by other programs
  std::size_t repeats = 25;             // the methodology's default
  std::uint64_t seed = 1;
  std::size_t threads = 1;
  std::optional<std::size_t> most_evaluations;
  bool warm = false;  // the best configurations of the same kernel in the other files are tried first
  bool group_by_kernel = false;
  bool json = false;
  bool reference_trace = false;
};

// Returns nothing when only help was requested, which it prints. Throws UsageError.
std::optional<ScoreRequest> read_request(int count, char** values);

}  // namespace attune::cli
