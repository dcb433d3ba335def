// --device replay:FILE[,noise][,disturbed][,seed=N][,workers]: a recording in place of a device.
#pragma once

#include <optional>
#include <string>

#include "space/recording.hpp"
#include "device/replay/replay_device.hpp"

namespace attune::cli {

struct ReplayRequest {
  std::string file;
  ReplayOptions options;
  bool workers = false;  // in processes of their own, as a device would be
};

bool is_replay(const std::string& device);
// Throws UsageError for what stands behind the file and is none of `noise`, `workers` and a seed.
ReplayRequest parse_replay(const std::string& device);
// The one recording of the file that has this kernel and this problem, as far as they are given. Throws UsageError
// listing those there are when it is not one.
Recording chosen_recording(const std::string& file, const std::optional<std::string>& kernel,
                           const std::optional<std::string>& problem);

}  // namespace attune::cli
