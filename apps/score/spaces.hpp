// The files, ready to be searched and scored.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "score/methodology.hpp"

namespace attune::cli {

// A file that is left out, because it has the same measurements as another.
struct DuplicateFile {
  std::string name;
  std::vector<std::uint32_t> trials;  // by position in its recording: the position in the kept recording
};

// One recording. Immutable; never moved, since `recorded` refers to `recording`.
struct Space {
  explicit Space(Recording recording);
  Space(const Space&) = delete;
  Space& operator=(const Space&) = delete;

  std::string name;  // of the file, without .json.xz; with kernel and device if the file has several
  std::vector<DuplicateFile> copies;
  const Recording recording;
  const RecordedSpace recorded;
  const SpaceStatistics statistics;
  const Curve random;  // empty where the statistics have no span
};
using Spaces = std::vector<std::unique_ptr<Space>>;

// Loads the spaces, in the order of the files. Throws UsageError naming a file that is unreadable or has no valid
// trial.
Spaces load_spaces(const std::vector<std::string>& files, std::size_t threads);

}  // namespace attune::cli
