#include "faults/fault_bench.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

namespace attune::test {

using Json = nlohmann::json;

std::vector<pid_t> processes_with(const std::vector<std::string>& texts) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const auto holds = [&line](const std::string& text) { return line.find(text) != std::string::npos; };
    if (std::all_of(texts.begin(), texts.end(), holds)) found.push_back(std::stoi(name));
  }
  return found;
}

void FaultBench::SetUp() {
  Workbench::SetUp();
  faults("");
}

void FaultBench::faults(const std::string& script_text) const { std::ofstream(script()) << script_text; }

std::string FaultBench::recording(int a, int b, double best_ms) const {
  Json file = {{"device_name", "Test GPU 100"},  {"kernel_name", "hill"}, {"problem_size", {64, 64}},
               {"tune_params_keys", {"A", "B"}}, {"objective", "time"},   {"tune_params", Json::object()},
               {"cache", Json::object()}};
  for (int i = 0; i < a; ++i) file["tune_params"]["A"].push_back(i);
  for (int j = 0; j < b; ++j) file["tune_params"]["B"].push_back(j);
  const auto distance = [](int at, int count) { return std::abs(2.0 * at / count - 1); };
  for (int i = 0; i < a; ++i) {
    for (int j = 0; j < b; ++j) {
      const double time = best_ms * (1 + (distance(i, a) + distance(j, b)) / 2);
      file["cache"][std::to_string(i) + "," + std::to_string(j)] = {
          {"A", i}, {"B", j}, {"time", time}, {"times", {time, time * 1.001, time * 0.999}}, {"compile_time", 100.0}};
    }
  }
  const std::string path = (folder_ / ("hill_" + std::to_string(a) + "x" + std::to_string(b) + ".json")).string();
  std::ofstream(path) << file.dump(1);
  return path;
}

TuneRun FaultBench::tune_recording(std::vector<std::string> arguments, CommandOptions options) const {
  const auto given = [&](const char* name) {
    return std::find(arguments.begin(), arguments.end(), name) != arguments.end();
  };
  if (!given("--device")) arguments.insert(arguments.end(), {"--device", "replay:" + recording(6, 5) + ",workers"});
  if (!given("--effort")) arguments.insert(arguments.end(), {"--effort", "exhaustive"});
  if (!given("--seed")) arguments.insert(arguments.end(), {"--seed", "1"});
  arguments.insert(arguments.end(), {"--db", database()});
  return tune(std::move(arguments), std::move(options));
}

TuneRun FaultBench::tune(std::vector<std::string> arguments, CommandOptions options) const {
  arguments.insert(arguments.begin(), "tune");
  arguments.emplace_back("--json");
  options.environment.try_emplace("ATTUNE_FAULTS", script());
#if defined(__SANITIZE_ADDRESS__)
  const char* const present = std::getenv("ASAN_OPTIONS");
  options.environment["ASAN_OPTIONS"] = (present != nullptr ? std::string(present) + ":" : "") + "handle_segv=0";
#endif
  const auto begin = std::chrono::steady_clock::now();
  TuneRun tuned;
  tuned.command = run("attune_with_faults", std::move(arguments), std::move(options));
  tuned.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::istringstream lines(tuned.command.out);
  for (std::string line; std::getline(lines, line);) {
    const Json parsed = Json::parse(line, nullptr, false);
    if (parsed.is_discarded()) continue;  // the last one of a command that was killed
    if (parsed.at("type") == "best") tuned.best = parsed;
    if (parsed.at("type") == "trial") tuned.trials.push_back(parsed);
    if (parsed.at("type") == "note") tuned.notes.push_back(parsed.at("text"));
  }
  return tuned;
}

namespace {

std::int64_t newest_session(const std::string& database) {
  SQLite::Database file(database, SQLite::OPEN_READONLY);
  file.setBusyTimeout(5000);
  return file.execAndGet("SELECT coalesce(max(id), 0) FROM session").getInt64();
}

}  // namespace

std::map<std::string, Trial> FaultBench::trials() const {
  WisdomStore store(database(), WisdomStore::Access::read_only);
  std::map<std::string, Trial> found;
  for (Trial& trial : store.trials(newest_session(database()))) {
    const std::string text = trial.configuration.text();
    found.emplace(text, std::move(trial));
  }
  return found;
}

std::vector<Attempt> FaultBench::attempts() const {
  WisdomStore store(database(), WisdomStore::Access::read_only);
  return store.open_attempts(newest_session(database()));
}

std::vector<std::string> FaultBench::quarantined() const {
  SQLite::Database file(database(), SQLite::OPEN_READONLY);
  SQLite::Statement select(file, R"sql(
    SELECT configuration FROM trial WHERE deaths >= 2 AND verdict NOT IN (0, 3) AND lifted_ms IS NULL
    GROUP BY configuration HAVING max(verdict <> 4) OR sum(deaths) >= 4 ORDER BY min(id)
  )sql");
  std::vector<std::string> found;
  while (select.executeStep()) found.push_back(select.getColumn(0).getString());
  return found;
}

int FaultBench::count_of_verdict(Verdict verdict) const {
  int count = 0;
  for (const auto& [text, trial] : trials()) count += trial.verdict == verdict;
  return count;
}

}  // namespace attune::test
