#include "exports/t4_results.hpp"

#include <nlohmann/json.hpp>

namespace attune {
namespace {

using nlohmann::ordered_json;

constexpr double ns_per_t4_ms = 1e6;

// Returns the format's word for a verdict; it has six.
const char* invalidity_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok:
      return "correct";
    case Verdict::compile_error:
    case Verdict::compile_timeout:
    case Verdict::compile_crash:
      return "compile";
    case Verdict::restricted:
    case Verdict::resources:
      return "constraints";
    case Verdict::timeout:
      return "timeout";
    case Verdict::wrong_result:
    case Verdict::guard:
      return "correctness";
    default:
      return "runtime";
  }
}

ordered_json result_of(const SessionLog& session, const Trial& trial) {
  const bool is_right = trial.verdict == Verdict::ok;
  ordered_json configuration = ordered_json::object(), runtimes = ordered_json::array(),
               measurements = ordered_json::array();
  for (const Binding& one : trial.configuration) configuration[one.name] = json_of(one.value);
  if (is_right) {
    for (const double sample : trial.measurement.samples_ns) runtimes.push_back(sample / ns_per_t4_ms);
    measurements.push_back({{"name", "time"}, {"value", trial.measurement.median_ns / ns_per_t4_ms}, {"unit", "ms"}});
  }
  return {{"timestamp", iso_time(completed_ms(session, trial), ' ')},
          {"configuration", std::move(configuration)},
          {"times",
           {{"compilation", trial.compile_ms},
            {"framework", 0},
            {"search_algorithm", 0},
            {"validation", 0},
            {"runtimes", std::move(runtimes)}}},
          {"invalidity", invalidity_of(trial.verdict)},
          {"correctness", invalidity_of(trial.verdict) == std::string("correctness") ? 0 : 1},
          {"measurements", std::move(measurements)},
          {"objectives", {"time"}}};
}

}  // namespace

std::string t4_results(const SessionLog& session) {
  const ordered_json metadata = {{"timeunit", "milliseconds"},
                                 {"kernel", session.key.kernel},
                                 {"problem", session.key.problem.text()},
                                 {"device", device_name_of(session.key.device_class)},
                                 {"regime", session.key.regime}};
  std::string text = "{\n\"schema_version\": \"1.0.0\",\n\"metadata\": " + one_line(metadata) + ",\n\"results\": [";
  for (const Trial& trial : session.trials)
    text += (&trial == &session.trials.front() ? "\n" : ",\n") + one_line(result_of(session, trial));
  return text + "\n]\n}\n";
}

}  // namespace attune
