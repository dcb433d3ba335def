#include <bit>

#include "core/digest.hpp"
#include "device/replay/replay_device.hpp"
#include "device/replay/replay_entry.hpp"

namespace attune {
namespace {

std::string_view bytes_of(const Row& row) {
  return {reinterpret_cast<const char*>(row.data()), row.size() * sizeof(Row::value_type)};
}

std::string bits_of(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }

Fingerprints fingerprints_of_recording(const Recording& recording) {
  Digest space;
  for (const Parameter& parameter : recording.parameters) {
    space.add(parameter.name).add(std::to_string(parameter.values.size()));
    for (const Value& value : parameter.values) space.add(value.text());
  }
  for (const RecordedTrial& trial : recording.trials) space.add(bytes_of(trial.row));
  return {sha256("attune replay 2 " + recording.kernel), sha256("attune replay 1"), space.hex()};
}

}  // namespace

std::string replay_device_name(const Recording& recording) {
  Digest results;
  results.add(recording.kernel).add(recording.device).add(recording.problem);
  for (const RecordedTrial& trial : recording.trials) {
    results.add(bytes_of(trial.row))
        .add(to_text(trial.verdict))
        .add(bits_of(trial.median_ns))
        .add(bits_of(trial.cost_s()));
  }
  return recording.device + " #" + results.hex().substr(0, 8);
}

std::string replay_entry(const Recording& recording) {
  std::string entry = "replay<";
  for (const Parameter& parameter : recording.parameters) {
    if (entry.back() != '<') entry += ", ";
    entry += parameter.name;
  }
  return entry + ">";
}

Configuration configuration_of(const Recording& recording, const RecordedTrial& trial) {
  std::vector<Binding> items;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    items.push_back({recording.parameters[i].name, recording.parameters[i].values[trial.row[i]]});
  }
  return Configuration(Bindings(std::move(items)));
}

KernelSpec replay_kernel(const Recording& recording) {
  KernelSpec spec;
  spec.name = recording.kernel;
  spec.summary = "recorded on " + recording.device;
  spec.source.name = recording.source;
  spec.parameters = recording.parameters;
  spec.launch.resize(1);
  spec.launch[0].entry = replay_entry(recording);
  // Without a reference the default configuration would have to be right, and it may be one that failed.
  spec.reference.resize(1);
  spec.reference[0].entry = std::string(replay_reference);
  std::vector<Configuration> listed;
  listed.reserve(recording.trials.size());
  for (const RecordedTrial& trial : recording.trials) listed.push_back(configuration_of(recording, trial));
  spec.listed = std::make_shared<const std::vector<Configuration>>(std::move(listed));
  spec.fingerprints = fingerprints_of_recording(recording);
  return spec;
}

}  // namespace attune
