#include <algorithm>
#include <bit>
#include <numeric>

#include "base/digest.hpp"
#include "device/replay/replay_device.hpp"
#include "device/replay/replay_entry.hpp"
#include "kernel/substitute.hpp"

namespace attune {
namespace {

std::string_view bytes_of(const Row& row) {
  return {reinterpret_cast<const char*>(row.data()), row.size() * sizeof(Row::value_type)};
}

std::string bits_of(double value) { return std::to_string(std::bit_cast<std::uint64_t>(value)); }

std::vector<std::uint16_t> sorted_by_text(const std::vector<std::string>& texts) {
  std::vector<std::uint16_t> order(texts.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  std::sort(order.begin(), order.end(), [&](std::uint16_t a, std::uint16_t b) { return texts[a] < texts[b]; });
  return order;
}

// Returns one digest for the same configurations in any order of values and rows. Recordings of one space on two
// devices often differ in order, and should learn from each other.
std::string digest_of_space(const Recording& recording) {
  Digest space;
  std::vector<Row> rows;
  for (const RecordedTrial& trial : recording.trials) rows.push_back(trial.row);
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    const Parameter& parameter = recording.parameters[i];
    space.add(parameter.name).add(std::to_string(parameter.values.size()));
    std::vector<std::string> texts;
    for (const Value& value : parameter.values) texts.push_back(value.text());
    const std::vector<std::uint16_t> order = sorted_by_text(texts);
    std::vector<std::uint16_t> place(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      space.add(texts[order[k]]);
      place[order[k]] = static_cast<std::uint16_t>(k);
    }
    for (Row& row : rows) row[i] = place[row[i]];
  }
  std::sort(rows.begin(), rows.end());
  for (const Row& row : rows) space.add(bytes_of(row));
  return space.hex();
}

Fingerprints fingerprints_of_recording(const Recording& recording) {
  return {sha256("attune replay 3 " + recording.kernel), sha256("attune replay 1"), digest_of_space(recording)};
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

ReplayExpressions::ReplayExpressions(const Recording& recording) {
  for (const Parameter& parameter : recording.parameters) {
    auto& texts = texts_.emplace_back();
    for (const Value& value : parameter.values) texts.push_back(source_text(value));
  }
}

std::string ReplayExpressions::of(const RecordedTrial& trial) const {
  std::string text = "replay<";
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (i > 0) text += ", ";
    text += texts_[i][trial.row[i]];
  }
  return text + ">";
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
  // Without a reference the default configuration would have to be right, and it may have failed.
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
