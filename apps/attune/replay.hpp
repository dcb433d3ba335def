// --device replay:FILE[,noise][,disturbed][,seed=N][,workers]: a recording in place of a device.
#pragma once

#include <optional>
#include <string>

#include "device/replay/replay.hpp"
#include "space/recording.hpp"

namespace attune::cli {

struct ReplayRequest {
  std::string file;
  ReplayOptions options;
  bool workers = false;  // in processes of their own, as for a device
};

bool is_replay(const std::string& device);
// Throws UsageError for an unknown word after the file.
ReplayRequest parse_replay(const std::string& device);
// Returns the one recording of the file with this kernel and this problem, as far as they are given. Throws UsageError
// listing the recordings when there is not exactly one.
Recording chosen_recording(const std::string& file, const std::optional<std::string>& kernel,
                           const std::optional<std::string>& problem);

}  // namespace attune::cli
