#include "truth_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "measure/statistics.hpp"
#include "session/image_source.hpp"
#include "worker/trial_worker.hpp"

namespace attune {
namespace {

constexpr double kWarmUpMs = 300;
constexpr std::size_t kInOneGo = 256;                            // samples that are asked for at once
constexpr std::size_t kNeighbours = 24;                          // of the truth's best
constexpr std::array<std::size_t, 5> kBetween{0, 1, 4, 16, 64};  // others between two samples of them

using Loaded = std::map<std::string, TrialWorker::CandidateId>;

std::vector<Configuration> configurations_of(const SearchSpace& space, std::size_t most) {
  std::vector<Configuration> all;
  std::mt19937_64 random(kTruthSeed);
  if (space.size() > SpaceSize{most}) {
    std::map<std::string, Configuration> drawn;
    while (drawn.size() < most) {
      Configuration one = space.sample(random);
      drawn.insert_or_assign(one.text(), std::move(one));
    }
    for (const auto& [text, configuration] : drawn) all.push_back(configuration);
    return all;
  }
  Row row(space.parameters().size());
  for (SpaceSize i = 0; i < space.size(); ++i) {
    space.at(i, row);
    all.push_back(space.configuration(row));
  }
  return all;
}

// Those that compile and are right, loaded.
Loaded load(TrialWorker& worker, Bench& bench, const DeviceInfo& device,
            const std::vector<Configuration>& configurations) {
  ImageSource source(bench.workers->compiler(), std::max(1u, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < configurations.size(); ++i)
    source.ask(i, image_request(bench.spec, bench.spec.launch, bench.problem, &configurations[i], device));
  const std::atomic<int> stop{0};
  Loaded loaded;
  while (source.outstanding() > 0) {
    const CompileResult result = source.next(stop).value();
    if (!result.outcome.image) continue;
    const Configuration& configuration = configurations[result.id];
    const TrialWorker::Checked checked = worker.check(configuration, *result.outcome.image);
    if (checked.candidate) loaded.emplace(configuration.text(), *checked.candidate);
  }
  return loaded;
}

// One sample of each, in this order.
std::vector<double> sample_each(TrialWorker& worker, const std::vector<TrialWorker::CandidateId>& turns) {
  std::vector<double> taken;
  for (std::size_t begin = 0; begin < turns.size(); begin += kInOneGo) {
    const std::size_t count = std::min(kInOneGo, turns.size() - begin);
    const TrialWorker::InTurn samples = worker.sample_in_turn(std::span(turns).subspan(begin, count), SamplePlan{});
    if (!samples.status.ok()) throw Error("a configuration that was right fails now: " + samples.status.detail);
    taken.insert(taken.end(), samples.nanoseconds.begin(), samples.nanoseconds.end());
  }
  return taken;
}

// samples[c]: nanoseconds of each round. Between any two samples that count, `between` of the others are taken.
std::vector<std::vector<double>> sample_rounds(TrialWorker& worker,
                                               const std::vector<TrialWorker::CandidateId>& candidates, int rounds,
                                               std::uint64_t seed,
                                               const std::vector<TrialWorker::CandidateId>& others = {},
                                               std::size_t between = 0) {
  std::vector<std::vector<double>> samples(candidates.size());
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<TrialWorker::CandidateId> turns;
    for (const std::size_t i : order) {
      for (std::size_t k = 0; k < between; ++k) turns.push_back(others[random() % others.size()]);
      turns.push_back(candidates[i]);
    }
    const std::vector<double> all = sample_each(worker, turns);
    for (std::size_t i = 0; i < order.size(); ++i) samples[order[i]].push_back(all[i * (between + 1) + between]);
  }
  return samples;
}

// Medians relative to the rounds', by candidate; the least is 1.
std::vector<double> relative_medians(std::vector<std::vector<double>> samples) {
  for (std::size_t round = 0; round < samples.front().size(); ++round) {
    std::vector<double> times;
    for (const std::vector<double>& one : samples) times.push_back(one[round]);
    const double typical = median(times);
    for (std::vector<double>& one : samples) one[round] /= typical;
  }
  std::vector<double> medians;
  for (const std::vector<double>& one : samples) medians.push_back(median(one));
  const double least = *std::min_element(medians.begin(), medians.end());
  for (double& one : medians) one /= least;
  return medians;
}

// The first `count` of them, the best first.
std::vector<std::pair<double, std::string>> best_of(const Ratios& ratios, std::size_t count) {
  std::vector<std::pair<double, std::string>> best;
  for (const auto& [name, ratio] : ratios) best.emplace_back(ratio, name);
  std::sort(best.begin(), best.end());
  best.resize(std::min(best.size(), count));
  return best;
}

// To what is typical of those that all of them have, instead of to each one's best, which may be best by luck.
void compare_to_typical(std::span<Ratios*> columns) {
  const auto in_all = [&](const std::string& name) {
    return std::all_of(columns.begin(), columns.end(), [&](const Ratios* one) { return one->contains(name); });
  };
  for (Ratios* column : columns) {
    std::vector<double> common;
    for (const auto& [name, ratio] : *column)
      if (in_all(name)) common.push_back(ratio);
    const double typical = median(common);
    for (auto& [name, ratio] : *column) ratio /= typical;
  }
}

// Each of them with the best and two others only: what takes turns with few finds its instructions in caches.
Ratios in_fours(TrialWorker& worker, const Bench& bench, const std::vector<std::pair<double, std::string>>& best,
                const std::vector<TrialWorker::CandidateId>& candidates) {
  Ratios column{{best.front().second, 1}};
  for (std::size_t begin = 1; begin < best.size(); begin += 3) {
    std::vector<TrialWorker::CandidateId> four{candidates.front()};
    const std::size_t end = std::min(begin + 3, best.size());
    for (std::size_t i = begin; i < end; ++i) four.push_back(candidates[i]);
    const std::vector<double> medians = relative_medians(sample_rounds(worker, four, bench.samples_near, kTruthSeed));
    for (std::size_t i = begin; i < end; ++i) column[best[i].second] = medians[1 + i - begin] / medians.front();
  }
  return column;
}

// The truth's best in the worker that has loaded all: a column for each of kBetween, and one in fours.
std::vector<Ratios> among_others(TrialWorker& worker, const Bench& bench, const Ratios& ratios, const Loaded& loaded) {
  const auto best = best_of(ratios, kNeighbours);
  std::vector<TrialWorker::CandidateId> candidates, all;
  for (const auto& [ratio, name] : best) candidates.push_back(loaded.at(name));
  for (const auto& [name, candidate] : loaded) all.push_back(candidate);
  std::vector<Ratios> columns;
  for (const std::size_t between : kBetween) {
    const std::vector<double> medians =
        relative_medians(sample_rounds(worker, candidates, bench.samples_near, kTruthSeed, all, between));
    Ratios& column = columns.emplace_back();
    for (std::size_t i = 0; i < best.size(); ++i) column[best[i].second] = medians[i];
  }
  columns.push_back(in_fours(worker, bench, best, candidates));
  return columns;
}

// `alone`: in workers that have loaded nothing else.
void show_neighbours(const Truth& truth, std::vector<Ratios> alone) {
  const auto best = best_of(truth.first, kNeighbours);
  std::vector<Ratios> all(1);
  for (const auto& [ratio, name] : best) all.front()[name] = ratio;
  all.insert(all.end(), truth.among.begin(), truth.among.end());
  all.insert(all.end(), alone.begin(), alone.end());
  std::vector<Ratios*> columns;
  for (Ratios& one : all) columns.push_back(&one);
  compare_to_typical(columns);

  fmt::print(
      "the truth's best, with so many others between any two of them, in fours, and alone in a worker:\n| in truth ");
  for (const std::size_t between : kBetween) fmt::print("| {} ", between);
  fmt::print("| in fours ");
  for (std::size_t i = 0; i < alone.size(); ++i) fmt::print("| alone ");
  fmt::print("| configuration |\n|");
  for (std::size_t i = 0; i < all.size(); ++i) fmt::print("---:|");
  fmt::print("---|\n");
  for (const auto& [ratio, name] : best) {
    for (const Ratios& column : all)
      fmt::print("| {} ", column.contains(name) ? fmt::format("{:.4f}", column.at(name)) : "failed");
    fmt::print("| {} |\n", name);
  }
  fmt::print("\n");
}

void write_samples(const std::string& file, const Loaded& loaded, const std::vector<std::vector<double>>& samples) {
  std::ofstream out(file);
  std::size_t i = 0;
  for (const auto& [name, candidate] : loaded) out << fmt::format("{},{:.0f}\n", name, fmt::join(samples[i++], ","));
  if (!out.flush()) throw Error("cannot write " + file);
}

// Of those that are near the best already: the median over all workers, each of which compares them among themselves.
// To the best in the end, whose luck is in every regret: with many that are close a tenth of a per cent.
Ratios over_all_workers(const Ratios& first, std::vector<Ratios> more) {
  Ratios all = first;
  std::vector<Ratios*> columns{&all};
  for (Ratios& one : more) columns.push_back(&one);
  compare_to_typical(columns);
  for (auto& [name, ratio] : all) {
    std::vector<double> of_workers{ratio};
    for (const Ratios& one : more)
      if (const auto found = one.find(name); found != one.end()) of_workers.push_back(found->second);
    ratio = median(of_workers);
  }
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const double best = std::min_element(all.begin(), all.end(), less)->second;
  for (auto& [name, ratio] : all) ratio /= best;
  return all;
}

// The truth, worker by worker, each of them a fresh process.
class TruthBench {
 public:
  explicit TruthBench(Bench& bench)
      : bench_(bench),
        device_(open_worker(bench.workers->device())),
        space_(make_space(bench.spec, bench.problem, device_.info)) {}

  Truth measure() {
    const std::vector<Configuration> all = configurations_of(space_, bench_.most);
    Truth truth;
    truth.first = in_one_worker(all, kTruthSeed, &truth);
    std::vector<Configuration> near;
    for (const Configuration& one : all)
      if (const auto found = truth.first.find(one.text()); found != truth.first.end() && found->second <= kNearTruth)
        near.push_back(one);
    truth.ratio = over_all_workers(truth.first, in_further_workers(near));
    if (!bench_.neighbours) return truth;
    std::vector<Configuration> best;
    for (const auto& [ratio, name] : best_of(truth.first, kNeighbours))
      best.push_back(*std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.text() == name; }));
    show_neighbours(truth, in_further_workers(best));
    return truth;
  }

 private:
  std::vector<Ratios> in_further_workers(const std::vector<Configuration>& configurations) {
    std::vector<Ratios> ratios;
    for (int i = 0; i < bench_.workers_more; ++i) {
      bench_.workers->device().restart();
      ratios.push_back(in_one_worker(configurations, kTruthSeed + 1 + static_cast<std::uint64_t>(i), nullptr));
    }
    return ratios;
  }

  // `truth`: of the first, which is also timed and asked for more. `seed`: of the order in each round.
  Ratios in_one_worker(const std::vector<Configuration>& configurations, std::uint64_t seed, Truth* truth) {
    TrialWorker worker(bench_.workers->device(), device_, *bench_.workers->compiler(), bench_.spec, bench_.problem,
                       default_configuration(bench_.spec, space_).value(), kTruthSeed);
    const Loaded loaded = load(worker, bench_, device_.info, configurations);
    std::vector<TrialWorker::CandidateId> candidates;
    for (const auto& [name, candidate] : loaded) candidates.push_back(candidate);
    worker.warm_up(candidates.front(), {.milliseconds = kWarmUpMs});
    worker.expect_launch(worker.sample(candidates.front()).nanoseconds);
    const double before = worker.timed_seconds();
    const std::vector<std::vector<double>> samples =
        sample_rounds(worker, candidates, truth == nullptr ? bench_.samples_near : bench_.samples, seed);
    const double seconds = worker.timed_seconds() - before;
    const std::vector<double> medians = relative_medians(samples);
    Ratios ratios;
    std::size_t i = 0;
    for (const auto& [name, candidate] : loaded) ratios[name] = medians[i++];
    if (truth == nullptr) return ratios;

    truth->seconds = seconds;
    const auto best = std::min_element(medians.begin(), medians.end()) - medians.begin();
    truth->best_ns = median(samples[static_cast<std::size_t>(best)]);
    if (!bench_.samples_to.empty()) write_samples(bench_.samples_to, loaded, samples);
    if (bench_.neighbours) truth->among = among_others(worker, bench_, ratios, loaded);
    return ratios;
  }

  Bench& bench_;
  DeviceOpened device_;
  SearchSpace space_;
};

}  // namespace

Truth measure_truth(Bench& bench) { return TruthBench(bench).measure(); }

}  // namespace attune
