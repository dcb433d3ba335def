// How long those wait who look into a large wisdom database: a million trials in a thousand sessions, made once.
//   ninja wisdom_bench attune && bin/wisdom_bench
// The bars: `attune show` of one kernel 1 s, `attune db verify` 5 s. WISDOM_BENCH_TRIALS sets another number.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "db/wisdom_test.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr int kernels = 20, trials_of_session = 1000, finalists_of_record = 5;

int wanted_trials() {
  const char* const text = std::getenv("WISDOM_BENCH_TRIALS");
  return text != nullptr ? std::atoi(text) : 1'000'000;
}

Trial trial_of(int i) {
  Trial trial = test::sample_trial(32 * (1 + i % 32));
  trial.configuration = Configuration{{"BLOCK_X", 32 * (1 + i % 32)},
                                      {"BLOCK_Y", 1 + i / 32},
                                      {"FAST", i % 2 == 0},
                                      {"VECTOR", 1 << (i % 3)},
                                      {"ORDER", "Order::rows"}};
  if (i % 10 == 0) {
    trial.verdict = i % 20 == 0 ? Verdict::compile_error : Verdict::wrong_result;
    trial.detail = std::string(400, 'x');
    trial.measurement = {};
    return trial;
  }
  trial.measurement.samples_ns.clear();
  for (int sample = 0; sample < 20; ++sample) trial.measurement.samples_ns.push_back(12345.678 + i + sample / 7.0);
  trial.measurement.median_ns = 12345.678 + (i * 7919) % 1009;
  return trial;
}

void add_session(WisdomStore& store, int number) {
  SessionRow session = test::sample_session(1024 + number / kernels);
  session.key.record.kernel = fmt::format("kernel{}", number % kernels);
  session.state = SessionState::finished;
  std::vector<Trial> trials;
  for (int i = 0; i < trials_of_session; ++i) trials.push_back(trial_of(i));
  store.add_trials(store.begin_session(session, test::sample_device()), trials);
  Record record = test::sample_record(1024 + number / kernels);
  record.key = session.key.record;
  record.configuration = trials[1].configuration;
  std::vector<FinalistResult> finalists(finalists_of_record);
  for (int i = 0; i < finalists_of_record; ++i) {
    finalists[static_cast<std::size_t>(i)].configuration = trials[static_cast<std::size_t>(i) + 1].configuration;
    finalists[static_cast<std::size_t>(i)].measurement = trials[static_cast<std::size_t>(i) + 1].measurement;
  }
  store.put_record(record, {}, finalists);
}

// Returns a database of so many trials. It is made once and stays in the folder of temporary files.
std::string database_of(int trials) {
  const fs::path file = fs::temp_directory_path() / fmt::format("attune-wisdom-bench-{}", trials) / "wisdom.db";
  if (fs::exists(file)) return file.string();
  const fs::path fresh = file.string() + ".new";
  fs::remove(fresh);
  WisdomStore store(fresh);
  for (int session = 0; session < trials / trials_of_session; ++session) add_session(store, session);
  fs::rename(fresh, file);
  return file.string();
}

void run_attune(benchmark::State& state, const std::string& arguments) {
  const std::string command = fmt::format("'{}' {} --db '{}' >/dev/null", ATTUNE_PROGRAM, arguments,
                                          database_of(static_cast<int>(state.range(0))));
  for (auto _ : state)
    if (std::system(command.c_str()) != 0) state.SkipWithError("attune failed");
}

void measure(const char* name, const char* arguments) {
  auto* const bench = benchmark::RegisterBenchmark(name, run_attune, std::string(arguments));
  bench->Arg(wanted_trials() / 100)->Arg(wanted_trials())->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
  bench->UseRealTime()->Repetitions(5)->Iterations(1)->ReportAggregatesOnly();
}

}  // namespace
}  // namespace attune

int main(int argc, char** argv) {
  attune::measure("list", "list");
  attune::measure("sessions", "sessions");
  attune::measure("show", "show kernel7");
  attune::measure("show_one_problem", "show kernel7 --problem n=1030");
  attune::measure("show_json", "show kernel7 --json");
  attune::measure("verify", "db verify");
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
