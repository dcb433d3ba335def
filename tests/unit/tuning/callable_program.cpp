// A program that tunes a callable in processes of its own: callable_program DATABASE N. STEP=2 crashes, STEP=3 hangs,
// STEP=4 ends its process, after STEP=7 nothing more works in it.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "attune/error.hpp"
#include "attune/tune_callable.hpp"
#include "attune/worker.hpp"

namespace {

using Milliseconds = std::chrono::duration<double, std::milli>;

Milliseconds run(double n, std::int64_t step) {
  if (step == 2) std::raise(SIGSEGV);
  while (step == 3) std::this_thread::sleep_for(std::chrono::seconds(1));
  if (step == 4) std::_Exit(0);
  static bool is_broken = false;
  is_broken = is_broken || step == 7;
  if (is_broken) throw attune::BrokenProcess("a kernel faulted");
  return Milliseconds(n / static_cast<double>(step));
}

attune::Tunable tunable() {
  return {.name = "steps",
          .version = "1",
          .problem = {{"n", 1}},
          .parameters = {{"STEP", {1, 2, 3, 4, 7, 5, 6}}},
          .make = [](const attune::Problem& problem) {
            const double n = static_cast<double>(problem.at("n").integer());
            return [n](const attune::Configuration& of) { return run(n, of.at("STEP").integer()); };
          }};
}

}  // namespace

int main(int argc, char** argv) try {
  if (const auto served = attune::worker_main(argc, argv, {tunable()})) return *served;
  attune::TuneCallableOptions options;
  options.database = argv[1];
  options.strategy = "exhaustive";
  options.on_trial = [](const attune::TuneTrial& trial) {
    std::printf("%s %s\n", trial.configuration.text().c_str(), trial.verdict.c_str());
  };
  const attune::Problem problem{{"n", std::atoll(argv[2])}};
  const attune::TuneResult tuned = attune::tune(tunable(), problem, attune::Effort::measure, options);
  if (!tuned.configuration) throw attune::Error(tuned.explanation);
  std::printf("best %s, %.0f ns\n", tuned.configuration->text().c_str(), tuned.median_ns);
  const attune::Match match = attune::find(tunable(), problem, argv[1]);
  std::printf("%s: %s\n", std::string(to_text(match.rung)).c_str(), match.configuration.text().c_str());
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
