// How a configuration of a recording is known in images: by the expression of the only entry.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "space/recording.hpp"

namespace attune {

constexpr std::string_view replay_reference = "replay_reference";  // what gives the expected result: takes no time

std::string replay_entry(const Recording& recording);  // "replay<TILE, ROWS>"
// What becomes of that entry with a trial's values: "replay<32, 4>". Without a search for each name: recordings may
// have thousands of parameters.
class ReplayExpressions {
 public:
  explicit ReplayExpressions(const Recording& recording);
  std::string of(const RecordedTrial& trial) const;

 private:
  std::vector<std::vector<std::string>> texts_;  // by parameter and position
};
// "NVIDIA A100 #1f2e3d4c": of the results too, so that two recordings with other results are two devices: what a
// session logged of one says nothing certain of the other, but may be where a search of it begins.
std::string replay_device_name(const Recording& recording);
Configuration configuration_of(const Recording& recording, const RecordedTrial& trial);

}  // namespace attune
