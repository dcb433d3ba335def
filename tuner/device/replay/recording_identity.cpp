#include "device/replay/recording_identity.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/digest.hpp"

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

}  // namespace

Configuration configuration_of(const Recording& recording, const RecordedTrial& trial) {
  std::vector<Binding> items;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    items.push_back({recording.parameters[i].name, recording.parameters[i].values[trial.row[i]]});
  }
  return Configuration(Bindings(std::move(items)));
}

std::string device_name_of(const Recording& recording) {
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

Fingerprints fingerprints_of(const Recording& recording) {
  return {sha256("attune replay 3 " + recording.kernel), sha256("attune replay 1"), digest_of_space(recording)};
}

}  // namespace attune
