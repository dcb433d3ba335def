#include "exports/optuna_journal.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "space/tried_parameters.hpp"

namespace attune {
namespace {

using nlohmann::ordered_json;

// Optuna's numbers.
enum Operation { create_study = 0, set_study_user_attr = 2, set_study_system_attr = 3, create_trial = 4 };
enum TrialState { state_complete = 1, state_failed = 3 };
constexpr int minimize = 1;

ordered_json operation(Operation code, ordered_json fields) {
  ordered_json line = {{"op_code", static_cast<int>(code)}, {"worker_id", "attune"}};
  if (code != create_study) line["study_id"] = 0;
  line.update(fields);
  return line;
}

// Returns the lines that make the study and describe it.
std::vector<ordered_json> study_lines(const SessionLog& session) {
  const RecordKey& key = session.key;
  const std::string name = key.kernel + (key.problem.text().empty() ? "" : " " + key.problem.text()) + " on " +
                           device_name_of(key.device_class) + ", " + key.regime;
  std::vector<ordered_json> lines{
      operation(create_study, {{"study_name", name}, {"directions", ordered_json::array({minimize})}}),
      operation(set_study_system_attr, {{"system_attr", {{"study:metric_names", {"median_ns"}}}}})};
  const ordered_json attributes = {
      {"kernel", key.kernel},         {"problem", key.problem.text()}, {"device", key.device_class},
      {"regime", key.regime},         {"objective", key.objective},    {"effort", session.effort},
      {"strategy", session.strategy}, {"seed", session.seed},          {"attune", session.attune_version}};
  for (const auto& [attribute, value] : attributes.items())  // one in a line: the reader refuses more
    lines.push_back(operation(set_study_user_attr, {{"user_attr", {{attribute, value}}}}));
  return lines;
}

// The distributions are texts of JSON.
std::vector<std::string> distributions_of(const std::vector<Parameter>& parameters) {
  std::vector<std::string> texts;
  for (const Parameter& parameter : parameters) {
    ordered_json choices = ordered_json::array();
    for (const Value& value : parameter.values) choices.push_back(json_of(value));
    texts.push_back(one_line({{"name", "CategoricalDistribution"}, {"attributes", {{"choices", choices}}}}));
  }
  return texts;
}

ordered_json attributes_of(const Trial& trial) {
  ordered_json attributes = {{"verdict", to_text(trial.verdict)}, {"compile_ms", trial.compile_ms}};
  if (trial.usage != ResourceUsage()) {
    attributes["registers"] = trial.usage.registers;
    attributes["shared_static"] = trial.usage.shared_static;
    attributes["spill_bytes"] = trial.usage.spill_bytes;
  }
  if (trial.verdict != Verdict::ok) return attributes;
  attributes["min_ns"] = trial.measurement.min_ns;
  attributes["q1_ns"] = trial.measurement.q1_ns;
  attributes["q3_ns"] = trial.measurement.q3_ns;
  return attributes;
}

}  // namespace

std::string optuna_journal(const SessionLog& session) {
  std::string text;
  for (const ordered_json& line : study_lines(session)) text += one_line(line) + "\n";
  const std::vector<Parameter> parameters = tried_parameters(session.trials);
  const std::vector<std::string> distributions = distributions_of(parameters);
  for (const Trial& trial : session.trials) {
    ordered_json chosen = ordered_json::object(), known = ordered_json::object();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const Value* const value = trial.configuration.find(parameters[i].name);
      if (value == nullptr) continue;
      chosen[parameters[i].name] = std::ranges::find(parameters[i].values, *value) - parameters[i].values.begin();
      known[parameters[i].name] = distributions[i];
    }
    const bool is_right = trial.verdict == Verdict::ok;
    const std::int64_t completed = completed_ms(session, trial);
    const auto compiling = static_cast<std::int64_t>(trial.compile_ms);
    text += one_line(operation(create_trial, {{"datetime_start", iso_time(completed - compiling, 'T')},
                                              {"datetime_complete", iso_time(completed, 'T')},
                                              {"state", static_cast<int>(is_right ? state_complete : state_failed)},
                                              {"value", is_right ? ordered_json(trial.measurement.median_ns) : nullptr},
                                              {"values", nullptr},
                                              {"distributions", known},
                                              {"params", chosen},
                                              {"user_attrs", attributes_of(trial)},
                                              {"system_attrs", ordered_json::object()},
                                              {"intermediate_values", ordered_json::object()}})) +
            "\n";
  }
  return text;
}

}  // namespace attune
