// Entries of replayed kernels. An image has one entry, whose expression identifies a configuration of the recording.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/recording.hpp"

namespace attune {

constexpr std::string_view replay_reference = "replay_reference";  // gives the expected result: takes no time

std::string replay_entry(const Recording& recording);  // "replay<TILE, ROWS>"
// Makes the entry with a trial's values: "replay<32, 4>". It looks no names up, because recordings may have thousands
// of parameters.
class ReplayExpressions {
 public:
  explicit ReplayExpressions(const Recording& recording);
  std::string of(const RecordedTrial& trial) const;

 private:
  std::vector<std::vector<std::string>> texts_;  // by parameter and position
};
// Returns "NVIDIA A100 #1f2e3d4c". The digest covers the results: recordings with other results are other devices.
// Trials of one device say nothing certain about another, but may start its search.
std::string replay_device_name(const Recording& recording);
Configuration configuration_of(const Recording& recording, const RecordedTrial& trial);

}  // namespace attune
