#include "device/replay/replay.hpp"

#include <algorithm>

#include "attune/search_space.hpp"
#include "device/replay/recording_identity.hpp"

namespace attune {
namespace {

// Returns whether the failure comes before the first launch.
bool fails_to_load(Verdict verdict) {
  constexpr Verdict early[] = {Verdict::restricted,    Verdict::compile_error, Verdict::compile_timeout,
                               Verdict::compile_crash, Verdict::resources,     Verdict::load_error};
  return std::find(std::begin(early), std::end(early), verdict) != std::end(early);
}

DeviceInfo info_of(const Recording& recording) {
  DeviceInfo info;
  info.kind = "replay";
  info.name = device_name_of(recording);
  info.driver = recording.source;
  return info;
}

}  // namespace

Replay::Replay(Recording recording, ReplayOptions options)
    : recording_(std::move(recording)),
      info_(info_of(recording_)),
      options_(options),
      replayed_(recording_.trials.size()),
      random_(options.seed),
      disturbance_(options.seed, options.disturbance.value_or(DisturbanceModel{})) {
  trials_.reserve(replayed_.size());
  for (std::size_t i = 0; i < replayed_.size(); ++i)
    trials_.try_emplace(configuration_of(recording_, recording_.trials[i]).text(), i);
}

std::optional<std::size_t> Replay::find(const std::string& configuration) const {
  const auto found = trials_.find(configuration);
  return found == trials_.end() ? std::nullopt : std::optional(found->second);
}

Status Replay::load(std::size_t trial) {
  const RecordedTrial& recorded = recording_.trials[trial];
  TrialState& replayed = replayed_[trial];
  if (!replayed.loaded) now_ += recorded.compile_s + recorded.framework_s + recorded.search_s + recorded.validation_s;
  replayed.loaded = true;
  disturbance_.load();
  return fails_to_load(recorded.verdict) ? Status{recorded.verdict, recorded.detail, false} : Status{};
}

Status Replay::launch(std::size_t trial) {
  const RecordedTrial& recorded = recording_.trials[trial];
  if (recorded.verdict == Verdict::ok) {
    now_ += recorded.median_ns * 1e-9;
    return {};
  }
  if (!replayed_[trial].failed_launch) now_ += recorded.launches_s;
  replayed_[trial].failed_launch = true;
  return {recorded.verdict, recorded.detail, false};
}

SingleTime Replay::sample(std::size_t trial, int launches) {
  if (recording_.trials[trial].verdict != Verdict::ok) return {launch(trial), 0};
  const double recorded = recorded_sample_ns(trial);
  const double nanoseconds = options_.disturbance ? disturbance_.measured(recorded) : recorded;
  now_ += nanoseconds * 1e-9 * launches;
  return {{}, nanoseconds};
}

double Replay::recorded_sample_ns(std::size_t trial) {
  const RecordedTrial& recorded = recording_.trials[trial];
  const std::vector<double>& samples = recorded.samples_ns;
  if (samples.empty()) return recorded.median_ns;
  if (options_.noise) return samples[static_cast<std::size_t>(uniform_below(samples.size(), random_))];
  return samples[replayed_[trial].next_sample++ % samples.size()];
}

}  // namespace attune
