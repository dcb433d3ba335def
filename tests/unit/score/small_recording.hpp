// Recordings of one parameter, written by hand.
#pragma once

#include "space/recording.hpp"

namespace attune {

// Trial i has the i-th objective in nanoseconds, 0 for one that failed, and costs so many seconds.
inline Recording small_recording(const std::vector<double>& objectives, double seconds = 1, double failed_seconds = 1) {
  Recording recording;
  recording.source = "small.json";
  recording.kernel = "small";
  recording.parameters = {{"X", {}}};
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    recording.parameters[0].values.emplace_back(static_cast<std::int64_t>(i));
    RecordedTrial trial;
    trial.row = {static_cast<std::uint16_t>(i)};
    trial.verdict = objectives[i] > 0 ? Verdict::ok : Verdict::compile_error;
    trial.median_ns = objectives[i];
    trial.compile_s = objectives[i] > 0 ? seconds : failed_seconds;
    recording.trials.push_back(trial);
  }
  return recording;
}

// 21 valid objectives 1 to 21 at 2 s, and 7 failures at 4 s: the example of docs/score.md.
inline Recording twenty_one() {
  std::vector<double> objectives(28);
  for (std::size_t i = 0; i < 21; ++i) objectives[i] = static_cast<double>(i + 1);
  return small_recording(objectives, 2, 4);
}

}  // namespace attune
