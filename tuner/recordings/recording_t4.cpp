#include <fmt/format.h>

#include <algorithm>

#include "attune/error.hpp"
#include "recordings/recording_formats.hpp"

namespace attune {
namespace {

struct Invalidity {
  std::string_view text;
  Verdict verdict;
};
constexpr Invalidity invalidities[] = {
    {"correct", Verdict::ok},      {"compile", Verdict::compile_error},    {"runtime", Verdict::launch_error},
    {"timeout", Verdict::timeout}, {"correctness", Verdict::wrong_result}, {"constraints", Verdict::restricted}};

struct NamedUnit {
  std::string_view text;
  double nanoseconds;
};
constexpr NamedUnit units[] = {{"miliseconds", 1e6},  // as Kernel Tuner spells it
                               {"milliseconds", 1e6}, {"millisecond", 1e6}, {"ms", 1e6},           {"seconds", 1e9},
                               {"second", 1e9},       {"s", 1e9},           {"microseconds", 1e3}, {"microsecond", 1e3},
                               {"us", 1e3},           {"nanoseconds", 1},   {"nanosecond", 1},     {"ns", 1}};

// Returns `otherwise` if there is no unit.
TimeUnit unit_in(const OrderedJson* json, TimeUnit otherwise) {
  if (json == nullptr || !json->is_string() || json->get_ref<const std::string&>().empty()) return otherwise;
  const auto* const known = std::find_if(std::begin(units), std::end(units), [&](const NamedUnit& unit) {
    return unit.text == json->get_ref<const std::string&>();
  });
  if (known != std::end(units)) return {known->nanoseconds};
  throw UsageError(
      fmt::format("the unit of time {}: expected milliseconds, seconds, microseconds or nanoseconds", shown(*json)));
}

const OrderedJson* measured_time(const OrderedJson& row) {
  const OrderedJson* const list = find_member(row, "measurements");
  if (list == nullptr || !list->is_array()) return nullptr;
  for (const OrderedJson& item : *list) {
    const OrderedJson* const name = find_member(item, "name");
    if (name != nullptr && *name == "time") return &item;
  }
  return nullptr;
}

Verdict verdict_of(const OrderedJson& row) {
  const OrderedJson* const text = find_member(row, "invalidity");
  if (text == nullptr) return Verdict::ok;
  const auto* const known =
      std::find_if(std::begin(invalidities), std::end(invalidities), [&](const Invalidity& invalidity) {
        return text->is_string() && invalidity.text == text->get_ref<const std::string&>();
      });
  if (known != std::end(invalidities)) return known->verdict;
  throw UsageError(fmt::format("invalidity {}: expected correct, compile, runtime, timeout, correctness or constraints",
                               shown(*text)));
}

RecordedTrial trial_of(const OrderedJson& row, TimeUnit unit) {
  RecordedTrial trial;
  static const OrderedJson none = OrderedJson::object();
  const OrderedJson* const given = find_member(row, "times");
  const OrderedJson& times = given == nullptr ? none : *given;
  set_samples(trial, find_member(times, "runtimes"), unit);
  trial.compile_s = cost_s(find_member(times, "compilation"), unit);
  trial.framework_s = cost_s(find_member(times, "framework"), unit);
  trial.search_s = cost_s(find_member(times, "search_algorithm"), unit);
  trial.validation_s = cost_s(find_member(times, "validation"), unit);

  const OrderedJson* const measurement = measured_time(row);
  const OrderedJson* const time = measurement == nullptr ? nullptr : find_member(*measurement, "value");
  trial.verdict = verdict_of(row);
  if (trial.verdict == Verdict::ok) {
    const OrderedJson* const own = measurement == nullptr ? nullptr : find_member(*measurement, "unit");
    set_time(trial, time, unit_in(own, unit));
  } else {
    trial.detail = time != nullptr && time->is_string() && !is_no_number(*time) ? time->get<std::string>()
                                                                                : row["invalidity"].get<std::string>();
  }
  return trial;
}

const OrderedJson& configuration_of(const OrderedJson& row) {
  const OrderedJson* const configuration = find_member(row, "configuration");
  if (configuration != nullptr && configuration->is_object() && !configuration->empty()) return *configuration;
  throw UsageError("expected an object `configuration` with a value for each parameter");
}

}  // namespace

Recording read_t4(const RecordingEntries& entries) {
  Recording recording;
  recording.kernel = identifier_of(stem_of(entries.source()));
  const OrderedJson* const metadata = find_member(entries.head(), "metadata");
  const TimeUnit unit = unit_in(metadata == nullptr ? nullptr : find_member(*metadata, "timeunit"), {});
  // attune writes this member; it may be missing.
  const OrderedJson* const problem = metadata == nullptr ? nullptr : find_member(*metadata, "problem");
  if (problem != nullptr && problem->is_string()) recording.problem = problem->get<std::string>();
  std::vector<std::string> names;
  RecordingTable table;
  entries.for_each([&](const std::string& place, const OrderedJson& row) {
    try {
      const OrderedJson& configuration = configuration_of(row);
      if (names.empty()) {
        for (const auto& item : configuration.items()) names.push_back(item.key());
        for (const std::string& name : names) table.add_parameter(name, {});
      }
      if (configuration.size() != names.size()) {
        throw UsageError(fmt::format("{} parameters where the first row has {}", configuration.size(), names.size()));
      }
      table.add_row(values_in(configuration, names), trial_of(row, unit));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", place, error.what()));
    }
  });
  std::move(table).finish(recording);
  return recording;
}

}  // namespace attune
