#include "exports/kernel_tuner_cache.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "attune/error.hpp"
#include "space/tried_parameters.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;

constexpr double ns_per_ms = 1e6;

// Returns Kernel Tuner's word for a verdict; it has three.
const char* error_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::compile_error:
    case Verdict::compile_timeout:
    case Verdict::compile_crash:
      return "CompilationFailedConfig";
    case Verdict::restricted:
    case Verdict::resources:
      return "InvalidConfig";
    default:
      return "RuntimeFailedConfig";
  }
}

// Returns the key of a row: the values as Python writes them.
std::string key_of(const Trial& trial, const std::vector<Parameter>& parameters) {
  std::string key;
  for (const Parameter& parameter : parameters) {
    const Value* const value = trial.configuration.find(parameter.name);
    if (&parameter != &parameters.front()) key += ",";
    if (value == nullptr) continue;
    key += !value->is_boolean() ? value->text() : value->boolean() ? "True" : "False";
  }
  return key;
}

ordered_json row_of(const SessionLog& session, const Trial& trial) {
  ordered_json row;
  for (const Binding& one : trial.configuration) row[one.name] = json_of(one.value);
  for (const char* const taken : {"time", "times", "__error__", "compile_time", "verification_time", "benchmark_time",
                                  "strategy_time", "framework_time", "timestamp"})
    if (row.contains(taken))
      throw UsageError(fmt::format("a cache of Kernel Tuner has no room for a parameter named `{}`", taken));
  double launches_ms = 0;
  if (trial.verdict == Verdict::ok) {
    row["time"] = trial.measurement.median_ns / ns_per_ms;
    for (const double sample : trial.measurement.samples_ns) {
      row["times"].push_back(sample / ns_per_ms);
      launches_ms += sample * trial.batch / ns_per_ms;
    }
  } else {
    row["time"] = error_of(trial.verdict);
    row["__error__"] = error_of(trial.verdict);
  }
  row["compile_time"] = trial.compile_ms;
  row["verification_time"] = 0;
  row["benchmark_time"] = launches_ms;
  row["strategy_time"] = 0;
  row["framework_time"] = 0;
  row["timestamp"] = iso_time(completed_ms(session, trial), ' ');
  return row;
}

ordered_json head_of(const SessionLog& session, const std::vector<Parameter>& parameters) {
  ordered_json sizes = ordered_json::array(), names = ordered_json::array(), values = ordered_json::object();
  for (const Binding& size : session.key.problem)
    if (size.value.is_integer()) sizes.push_back(size.value.integer());
  for (const Parameter& parameter : parameters) {
    names.push_back(parameter.name);
    ordered_json& list = values[parameter.name] = ordered_json::array();
    for (const Value& value : parameter.values) list.push_back(json_of(value));
  }
  return {{"device_name", device_name_of(session.key.device_class)},
          {"kernel_name", session.key.kernel},
          {"problem_size", sizes},
          {"tune_params_keys", names},
          {"tune_params", values},
          {"objective", "time"}};
}

}  // namespace

std::string kernel_tuner_cache(const SessionLog& session) {
  const std::vector<Parameter> parameters = tried_parameters(session.trials);
  std::string text = "{";
  const ordered_json head = head_of(session, parameters);
  for (const auto& [name, value] : head.items()) text += "\n" + one_line(name) + ": " + one_line(value) + ",";
  text += "\n\"cache\": {";
  for (const Trial& trial : session.trials) {
    if (&trial != &session.trials.front()) text += ",";
    text += "\n" + one_line(key_of(trial, parameters)) + ": " + one_line(row_of(session, trial));
  }
  // Kernel Tuner takes a file that ends otherwise for one of an unfinished run.
  return text + "}\n}";
}

}  // namespace attune
