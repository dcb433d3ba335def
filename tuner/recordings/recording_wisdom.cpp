// Reads attune's own trial log as recordings.
#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

#include "attune/error.hpp"
#include "core/bindings_json.hpp"
#include "db/wisdom_connection.hpp"
#include "db/wisdom_rows.hpp"
#include "recordings/recording_formats.hpp"

namespace attune {
namespace {

// Newest first. A kernel's id stands for its code. If several versions have one name, the newest counts.
constexpr const char* select_trials =
    "SELECT trial.*, session.kernel_id, kernel.name AS kernel, problem.bindings AS problem, device.class_key AS class, "
    "device.name AS device FROM trial JOIN session ON session.id = trial.session_id JOIN kernel ON kernel.id = "
    "session.kernel_id JOIN problem ON problem.id = session.problem_id JOIN device ON device.id = session.device_id "
    "ORDER BY trial.session_id DESC, trial.id DESC";

using LogKey = std::tuple<std::string, std::string, std::string>;  // kernel, problem, device class

// The trials of one kernel for one problem on one class of devices.
struct Log {
  std::int64_t kernel_id = 0;
  std::string device;
  std::vector<std::string> names;   // of the parameters
  std::set<std::string> seen;       // configurations
  std::vector<Trial> newest_first;  // each configuration once
};

std::vector<std::string> names_of(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const Binding& binding : configuration) names.push_back(binding.name);
  return names;
}

void add_trial(Log& log, std::int64_t kernel_id, Trial trial) {
  if (log.newest_first.empty()) {
    log.kernel_id = kernel_id;
    log.names = names_of(trial.configuration);
  }
  const bool is_same_kernel = log.kernel_id == kernel_id && log.names == names_of(trial.configuration);
  if (!is_same_kernel || !log.seen.insert(trial.configuration.text()).second) return;
  log.newest_first.push_back(std::move(trial));
}

RecordedTrial recorded(const Trial& trial) {
  RecordedTrial row;
  row.verdict = trial.verdict;
  row.detail = trial.detail;
  row.compile_s = trial.compile_ms * 1e-3;
  if (trial.verdict != Verdict::ok) return row;
  row.median_ns = trial.measurement.median_ns;
  std::erase_if(row.samples_ns = trial.measurement.samples_ns, [](double sample) { return !(sample > 0); });
  for (const double sample : row.samples_ns) row.launches_s += sample * 1e-9;
  return row;
}

std::vector<Value> values_of(const Configuration& configuration) {
  std::vector<Value> values;
  for (const Binding& binding : configuration) values.push_back(binding.value);
  return values;
}

void add_row(RecordingTable& table, const Trial& trial) {
  try {
    table.add_row(values_of(trial.configuration), recorded(trial));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("the trial of {}: {}", trial.configuration.text(), error.what()));
  }
}

Recording recording_of(const LogKey& key, const Log& log) {
  Recording recording;
  recording.kernel = std::get<0>(key);
  recording.problem = std::get<1>(key);
  recording.device = log.device.empty() ? std::get<2>(key) : log.device;
  RecordingTable table;
  for (const std::string& name : log.names) table.add_parameter(name, {});
  for (auto trial = log.newest_first.rbegin(); trial != log.newest_first.rend(); ++trial) add_row(table, *trial);
  std::move(table).finish(recording);
  return recording;
}

std::map<LogKey, Log> logs_in(SQLite::Database& database) {
  std::map<LogKey, Log> logs;
  SQLite::Statement rows(database, select_trials);
  while (rows.executeStep()) {
    std::optional<Trial> trial = read_row<Trial>(rows);
    const bool has_outcome = trial && (trial->verdict != Verdict::ok || trial->measurement.median_ns > 0);
    if (!has_outcome || trial->configuration.empty()) continue;
    const auto problem = bindings_of_json(rows.getColumn("problem").getString());
    if (!problem) continue;
    Log& log = logs[{rows.getColumn("kernel").getString(), problem->text(), rows.getColumn("class").getString()}];
    const SQLite::Column device = rows.getColumn("device");
    log.device = device.isNull() ? "" : device.getString();
    add_trial(log, rows.getColumn("kernel_id").getInt64(), *std::move(trial));
  }
  return logs;
}

}  // namespace

std::vector<Recording> read_wisdom(const std::filesystem::path& file) {
  WisdomConnection connection(std::filesystem::absolute(file), false);
  std::vector<Recording> recordings;
  connection.read([&](SQLite::Database& database) {
    recordings.clear();
    for (const auto& [key, log] : logs_in(database)) recordings.push_back(recording_of(key, log));
  });
  if (recordings.empty()) throw UsageError("no trials in this wisdom database: run `attune tune` with it first");
  return recordings;
}

}  // namespace attune
