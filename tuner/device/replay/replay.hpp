// Replay: a recording as instruments without a device. It launches nothing: a trial fails or takes its time as
// recorded, and seconds() advances by the recorded cost. Sessions run on it unchanged, in milliseconds; equal seeds
// give equal sessions. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <vector>

#include "attune/device_info.hpp"
#include "device/instruments.hpp"
#include "device/replay/disturbance.hpp"
#include "space/recording.hpp"

namespace attune {

struct ReplayOptions {
  bool noise = false;  // samples are drawn at random; without it they come in the recorded order
  std::uint64_t seed = 0;
  // Effects added to recorded times; nothing: times stay as recorded.
  std::optional<DisturbanceModel> disturbance{};
  int bench = 0;       // the number of one of several benches, from 1, which has a UUID and a seed of its own; 0: alone
  bool paced = false;  // what is recorded to take a second takes a second of the machine's clock
};

class Replay final : public Instruments {
 public:
  // The clock begins at 0.
  explicit Replay(Recording recording, ReplayOptions options = {});

  const Recording& recording() const noexcept { return recording_; }
  const DeviceInfo& info() const noexcept { return info_; }  // of what stands for the device
  double seconds() const override { return options_.paced ? Instruments::seconds() : now_; }
  bool has_own_clock() const noexcept override { return !options_.paced; }

  // Returns the position in the recording of a configuration, by its text; nothing where it was not recorded.
  std::optional<std::size_t> find(const std::string& configuration) const;
  // Loads a trial. The first load takes the recorded times of compiling, framework, search and validation. Returns a
  // failure that comes before the first launch, also of compiling: here, on the caller's thread, the clock may advance.
  Status load(std::size_t trial);
  // Launches a trial, which takes the median. Returns any other failure.
  Status launch(std::size_t trial);
  // Takes a sample of so many launches in a row: the time of a recorded sample, or the median if none is recorded.
  // Fails as launch() does.
  SingleTime sample(std::size_t trial, int launches);

 private:
  // The state of one trial.
  struct TrialState {
    bool loaded = false;
    bool failed_launch = false;
    std::size_t next_sample = 0;
  };
  double recorded_sample_ns(std::size_t trial);
  void pass(double seconds);

  const Recording recording_;
  const DeviceInfo info_;
  const ReplayOptions options_;
  std::unordered_map<std::string, std::size_t> trials_;  // by the configuration's text
  std::vector<TrialState> replayed_;                     // in the order of the recording
  std::mt19937_64 random_;
  Disturbance disturbance_;
  double now_ = 0;
};

}  // namespace attune
