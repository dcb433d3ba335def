// Tunes work of a program's own, without a kernel and without a GPU: sorting in blocks, by threads. `any_callable N`
// tunes it for N numbers, `any_callable N use` only asks what is known.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "attune/tune_callable.hpp"
#include "attune/worker.hpp"

namespace {

// Sorts blocks of the numbers, each thread some of them, and merges neighbours.
void sort_in_blocks(std::vector<float>& numbers, std::size_t block, std::size_t threads) {
  const auto at = [&](std::size_t i) {
    return numbers.begin() + static_cast<std::ptrdiff_t>(std::min(i, numbers.size()));
  };
  std::vector<std::jthread> workers;
  for (std::size_t thread = 0; thread < threads; ++thread)
    workers.emplace_back([&, thread] {
      for (std::size_t i = thread * block; i < numbers.size(); i += threads * block) std::sort(at(i), at(i + block));
    });
  workers.clear();  // waits for them
  for (; block < numbers.size(); block *= 2)
    for (std::size_t i = 0; i < numbers.size(); i += 2 * block)
      std::inplace_merge(at(i), at(i + block), at(i + 2 * block));
}

attune::Work sorting(const attune::Problem& problem) {
  std::vector<float> given(static_cast<std::size_t>(problem.at("n").integer()));
  std::mt19937 random(1);
  for (float& number : given) number = static_cast<float>(random());
  const auto numbers = std::make_shared<std::vector<float>>();
  const auto run = [given, numbers](const attune::Configuration& configuration) {
    *numbers = given;
    const auto begin = std::chrono::steady_clock::now();  // the copy does not count
    sort_in_blocks(*numbers, static_cast<std::size_t>(configuration.at("BLOCK").integer()),
                   static_cast<std::size_t>(configuration.at("THREADS").integer()));
    return std::chrono::steady_clock::now() - begin;
  };
  return {run, [numbers](const attune::Configuration&) {
            return std::is_sorted(numbers->begin(), numbers->end()) ? "" : "it is not sorted";
          }};
}

}  // namespace

int main(int argc, char** argv) try {
  const attune::Tunable tunable{.name = "sort_in_blocks",
                                .version = "1",
                                .problem = {{"n", 100'000}},
                                .parameters = {{"BLOCK", {4096, 16384, 65536, 262144}}, {"THREADS", {1, 2, 4}}},
                                .rules = {"BLOCK * THREADS < 2 * n"},
                                .make = sorting};
  if (const auto served = attune::worker_main(argc, argv, {tunable})) return *served;
  const attune::Problem problem{{"n", argc > 1 ? std::atoll(argv[1]) : 100'000}};

  if (argc < 3) {
    attune::TuneCallableOptions options;
    options.seconds = 5;
    options.on_trial = [](const attune::TuneTrial& trial) {
      std::printf("%-24s %-8s %8.1f us\n", trial.configuration.text().c_str(), trial.verdict.c_str(),
                  trial.median_ns / 1e3);
    };
    const attune::TuneResult tuned = attune::tune(tunable, problem, attune::Effort::measure, options);
    if (!tuned.configuration) throw attune::Error(tuned.explanation);
    std::printf("%s: %.2fx over the default\n", tuned.configuration->text().c_str(), tuned.speedup);
  }

  const attune::Match match = attune::find(tunable, problem);
  std::printf("%s\n", match.why.c_str());
  sorting(problem).run(match.configuration);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "any_callable: %s\n", error.what());
  return 1;
}
