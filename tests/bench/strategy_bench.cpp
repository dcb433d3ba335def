// What a strategy adds to a trial: the time of one ask and one tell, once 10,000 trials are known, in the mean;
// `longest_us` is the longest of those timed, in processor time. The budget is 20 us, of those with a model 5 ms. These
// are timed from 50 and from 300 known trials on as well, where they have and refit a model, by their own proposals
// alone.
//   ninja strategy_bench && bin/strategy_bench
#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "unit/search/driven.hpp"

namespace attune {
namespace {

constexpr int foreign_trials = 9'500;  // told without having been proposed: model-based strategies are slow to propose
constexpr int driven_trials = 500;
constexpr int timed_trials = 500;
// Of those with a model from few trials on: a quarter more, so that a refit or two are among them.
constexpr int few_known[] = {50, 300};

// A tiled matrix product: 14 parameters, most of them under rules.
SearchSpace wide_space() {
  const std::vector<Value> tiles = {16, 32, 64, 128}, threads = {8, 16, 32}, widths = {1, 2, 4, 8}, flags = {0, 1};
  return SearchSpace({{"MWG", tiles},
                      {"NWG", tiles},
                      {"KWG", {16, 32}},
                      {"MDIMC", threads},
                      {"NDIMC", threads},
                      {"MDIMA", threads},
                      {"NDIMB", threads},
                      {"KWI", {2, 8}},
                      {"VWM", widths},
                      {"VWN", widths},
                      {"STRM", flags},
                      {"STRN", flags},
                      {"SA", flags},
                      {"SB", flags}},
                     {"KWG % KWI == 0", "MWG % (MDIMC * VWM) == 0", "NWG % (NDIMC * VWN) == 0",
                      "MWG % (MDIMA * VWM) == 0", "NWG % (NDIMB * VWN) == 0", "KWG % ((MDIMC * NDIMC) / MDIMA) == 0",
                      "KWG % ((MDIMC * NDIMC) / NDIMB) == 0", "MDIMC * NDIMC <= 1024"});
}

// Of this process, in microseconds: where others use the processor too, time on the wall says nothing of one trial.
double processor_us() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) * 1e-3;
}

void ask_and_tell(benchmark::State& state, const std::string& name) {
  const SearchSpace space = wide_space();
  std::unique_ptr<Strategy> strategy;
  const auto trial = [&] {
    const auto row = strategy->ask();
    if (row) strategy->tell(*row, bowl(space, *row));
    return row.has_value();
  };
  double longest = 0;
  int left = 0;
  for (auto _ : state) {
    if (left == 0) {
      state.PauseTiming();
      strategy = make_strategy(name, space, 1);
      std::mt19937_64 random(1);
      Row row(space.parameters().size());
      for (int i = 0; i < foreign_trials; ++i) {
        space.sample(random, row);
        strategy->tell(row, bowl(space, row));
      }
      for (int i = 0; i < driven_trials; ++i) trial();
      left = timed_trials;
      state.ResumeTiming();
    }
    const double begin = processor_us();
    if (!trial()) return state.SkipWithError("the space is too small");
    longest = std::max(longest, processor_us() - begin);
    --left;
  }
  state.counters["longest_us"] = longest;
}

void ask_and_tell_early(benchmark::State& state, const std::string& name, int known) {
  const SearchSpace space = wide_space();
  const auto strategy = make_strategy(name, space, 1);
  const auto trial = [&] {
    const Row row = strategy->ask().value();
    strategy->tell(row, bowl(space, row));
  };
  for (int i = 0; i < known; ++i) trial();
  double longest = 0;
  for (auto _ : state) {
    const double begin = processor_us();
    trial();
    longest = std::max(longest, processor_us() - begin);
  }
  state.counters["longest_us"] = longest;
}

}  // namespace
}  // namespace attune

int main(int argc, char** argv) {
  for (const attune::StrategyEntry& entry : attune::strategies()) {
    benchmark::RegisterBenchmark(entry.name.c_str(), attune::ask_and_tell, entry.name)
        ->Iterations(attune::timed_trials)
        ->Unit(benchmark::kMicrosecond);
  }
  for (const char* const name : {"auto", "bayesian"}) {
    for (const int known : attune::few_known) {
      const std::string title = name + std::string(" from ") + std::to_string(known);
      benchmark::RegisterBenchmark(title.c_str(), attune::ask_and_tell_early, name, known)
          ->Iterations(known / 4 + 2)
          ->Unit(benchmark::kMicrosecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
