#include "device/replay/replay.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

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

DeviceInfo info_of(const Recording& recording, int bench) {
  DeviceInfo info;
  info.kind = "replay";
  info.name = device_name_of(recording);
  info.driver = recording.source;
  if (bench > 0) info.uuid = "bench-" + std::to_string(bench);
  return info;
}

std::uint64_t seed_of(const ReplayOptions& options) {
  return options.bench > 1 ? options.seed + static_cast<std::uint64_t>(options.bench - 1) : options.seed;
}

}  // namespace

Replay::Replay(Recording recording, ReplayOptions options)
    : recording_(std::move(recording)),
      info_(info_of(recording_, options.bench)),
      options_(options),
      replayed_(recording_.trials.size()),
      random_(seed_of(options)),
      disturbance_(seed_of(options), options.disturbance.value_or(DisturbanceModel{})) {
  trials_.reserve(replayed_.size());
  for (std::size_t i = 0; i < replayed_.size(); ++i)
    trials_.try_emplace(configuration_of(recording_, recording_.trials[i]).text(), i);
}

std::optional<std::size_t> Replay::find(const std::string& configuration) const {
  const auto found = trials_.find(configuration);
  return found == trials_.end() ? std::nullopt : std::optional(found->second);
}

void Replay::pass(double seconds) {
  now_ += seconds;
  if (options_.paced) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

Status Replay::load(std::size_t trial) {
  const RecordedTrial& recorded = recording_.trials[trial];
  TrialState& replayed = replayed_[trial];
  if (!replayed.loaded) pass(recorded.compile_s + recorded.framework_s + recorded.search_s + recorded.validation_s);
  replayed.loaded = true;
  disturbance_.load();
  return fails_to_load(recorded.verdict) ? Status{recorded.verdict, recorded.detail, false} : Status{};
}

Status Replay::launch(std::size_t trial) {
  const RecordedTrial& recorded = recording_.trials[trial];
  if (recorded.verdict == Verdict::ok) {
    pass(recorded.median_ns * 1e-9);
    return {};
  }
  if (!replayed_[trial].failed_launch) pass(recorded.launches_s);
  replayed_[trial].failed_launch = true;
  return {recorded.verdict, recorded.detail, false};
}

SingleTime Replay::sample(std::size_t trial, int launches) {
  if (recording_.trials[trial].verdict != Verdict::ok) return {launch(trial), 0};
  const double recorded = recorded_sample_ns(trial);
  const double nanoseconds = options_.disturbance ? disturbance_.measured(recorded) : recorded;
  pass(nanoseconds * 1e-9 * launches);
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
