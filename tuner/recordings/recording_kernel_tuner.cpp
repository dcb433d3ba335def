#include <fmt/format.h>

#include "attune/error.hpp"
#include "recordings/recording_formats.hpp"

namespace attune {
namespace {

std::string text_of(const OrderedJson& head, const char* name) {
  const OrderedJson* const text = find_member(head, name);
  return text != nullptr && text->is_string() && !is_no_number(*text) ? text->get<std::string>() : "";
}

// Returns "4096x4096" for [4096, 4096], and a number or a text as it is.
std::string problem_of(const OrderedJson& head) {
  const OrderedJson* const size = find_member(head, "problem_size");
  if (size == nullptr || size->is_null()) return "";
  if (!size->is_array()) return size->is_string() ? size->get<std::string>() : shown(*size);
  std::string text;
  for (const OrderedJson& item : *size) {
    if (!text.empty()) text += "x";
    text += item.is_string() ? item.get<std::string>() : shown(item);
  }
  return text;
}

std::vector<std::string> parameter_names(const OrderedJson& head) {
  std::vector<std::string> names;
  if (const OrderedJson* const keys = find_member(head, "tune_params_keys"); keys != nullptr && keys->is_array()) {
    for (const OrderedJson& key : *keys) {
      if (!key.is_string()) {
        throw UsageError(fmt::format("tune_params_keys holds {}: expected names of parameters", shown(key)));
      }
      names.push_back(key.get<std::string>());
    }
  } else if (const OrderedJson* const lists = find_member(head, "tune_params"); lists != nullptr) {
    for (const auto& item : lists->items()) names.push_back(item.key());
  }
  if (names.empty()) throw UsageError("expected the names of the parameters in tune_params_keys or tune_params");
  return names;
}

std::optional<std::vector<Value>> values_of(const OrderedJson& head, const std::string& name) {
  const OrderedJson* const lists = find_member(head, "tune_params");
  const OrderedJson* const list = lists == nullptr ? nullptr : find_member(*lists, name.c_str());
  if (list == nullptr) return {};
  if (!list->is_array()) {
    throw UsageError(fmt::format("tune_params[{}] is {}: expected an array of values", shown(name), shown(*list)));
  }
  std::vector<Value> values;
  for (const OrderedJson& item : *list) {
    try {
      values.push_back(parameter_value(item));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("tune_params[{}]: {}", shown(name), error.what()));
    }
  }
  return values;
}

RecordedTrial trial_of(const OrderedJson& row) {
  constexpr TimeUnit milliseconds{1e6};
  RecordedTrial trial;
  set_samples(trial, find_member(row, "times"), milliseconds);
  const OrderedJson* const error = find_member(row, "__error__");
  set_time(trial, error != nullptr && error->is_string() ? error : find_member(row, "time"), milliseconds);
  trial.compile_s = cost_s(find_member(row, "compile_time"), milliseconds);
  trial.framework_s = cost_s(find_member(row, "framework_time"), milliseconds);
  trial.search_s = cost_s(find_member(row, "strategy_time"), milliseconds);
  trial.validation_s = cost_s(find_member(row, "verification_time"), milliseconds);
  // This time includes the launches and some overhead, so it serves if the launches are not listed.
  if (trial.verdict == Verdict::ok && trial.samples_ns.empty()) {
    trial.launches_s = cost_s(find_member(row, "benchmark_time"), milliseconds);
  }
  return trial;
}

}  // namespace

Recording read_kernel_tuner(const RecordingEntries& entries) {
  const OrderedJson& head = entries.head();
  Recording recording;
  recording.kernel = identifier_of(text_of(head, "kernel_name"));
  recording.device = text_of(head, "device_name");
  recording.problem = problem_of(head);
  const auto names = parameter_names(head);
  RecordingTable table;
  for (const std::string& name : names) table.add_parameter(name, values_of(head, name));
  entries.for_each([&](const std::string& place, const OrderedJson& row) {
    try {
      table.add_row(values_in(row, names), trial_of(row));
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", place, error.what()));
    }
  });
  std::move(table).finish(recording);
  return recording;
}

}  // namespace attune
