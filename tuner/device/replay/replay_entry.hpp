// The expression of the only entry identifies a recording's configuration in images.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/recording.hpp"

namespace attune {

constexpr std::string_view replay_reference = "replay_reference";  // gives the expected result: takes no time

std::string replay_entry(const Recording& recording);  // "replay<TILE, ROWS>"
// Makes the entry with a trial's values: "replay<32, 4>". It searches no names: recordings may have thousands of
// parameters.
class ReplayExpressions {
 public:
  explicit ReplayExpressions(const Recording& recording);
  std::string of(const RecordedTrial& trial) const;

 private:
  std::vector<std::vector<std::string>> texts_;  // by parameter and position
};
// Returns "NVIDIA A100 #1f2e3d4c". The digest covers the results: recordings with other results are other devices. One
// device's trials say nothing certain of another, but may start its search.
std::string replay_device_name(const Recording& recording);
Configuration configuration_of(const Recording& recording, const RecordedTrial& trial);

}  // namespace attune
