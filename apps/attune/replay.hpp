// --device replay:FILE[,noise][,disturbed][,seed=N][,workers][,benches=N][,paced]: a recording in place of a device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/replay/replay.hpp"
#include "space/recording.hpp"

namespace attune::cli {

struct ReplayRequest {
  std::string file;
  ReplayOptions options;
  bool workers = false;  // in processes of their own, as for a device
  int benches = 1;       // of one session
};

bool is_replay(const std::string& device);
// Throws UsageError for an unknown word after the file.
ReplayRequest parse_replay(const std::string& device);
// Returns the names of its benches, for workers in processes: `device` itself if it has one.
std::vector<std::string> bench_names(const std::string& device, const ReplayRequest& request);
// Returns a replay of the recording for each bench.
std::vector<std::shared_ptr<Replay>> replays_of(const Recording& recording, const ReplayRequest& request);
// Returns the one recording of the file with this kernel and this problem, as far as they are given. Throws UsageError
// listing the recordings when there is not exactly one.
Recording chosen_recording(const std::string& file, const std::optional<std::string>& kernel,
                           const std::optional<std::string>& problem);

}  // namespace attune::cli
