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
#include "kernel/instance.hpp"
#include "measure/statistics.hpp"
#include "session/image_source.hpp"
#include "worker/pool.hpp"

namespace attune {
namespace {

constexpr double calibration_warm_up_ms = 300;
constexpr std::size_t turns_in_job = 256;                            // samples that one job takes
constexpr std::size_t neighbours = 24;                               // of the truth's best
constexpr std::array<std::size_t, 5> gaps_between{0, 1, 4, 16, 64};  // others between two samples of them

using Loaded = std::map<std::string, InstanceId>;

std::vector<Configuration> configurations_of(const SearchSpace& space, std::size_t most) {
  std::vector<Configuration> all;
  std::mt19937_64 random(truth_seed);
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

// Waits for a job. Throws what failed when it is the environment.
template <typename Kind>
Kind run(Pool& pool, Job job) {
  Result result = pool.run(std::move(job));
  if (const auto* const failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  return std::get<Kind>(std::move(result.answer));
}

// Instances of these configurations, by their positions: those that compile and are right, loaded.
Loaded load(Pool& pool, const TruthBench& bench, const DeviceInfo& device,
            const std::vector<Configuration>& configurations) {
  pool.set_compilers(std::max(1u, std::thread::hardware_concurrency()));
  ImageSource source(pool);
  for (std::size_t i = 0; i < configurations.size(); ++i)
    source.ask(make_instance(i, bench.spec, bench.problem, configurations[i], device));
  const std::atomic<int> never{0};
  Loaded loaded;
  while (source.outstanding() > 0) {
    while (!source.is_ready()) {
      std::optional<Result> result = pool.next(never);
      source.arrive(result.value());
    }
    const CompiledInstance compiled = source.take();
    if (!compiled.outcome.image) continue;
    const Instance& instance = *compiled.instance;
    const auto tried = run<Tried>(pool, Load{instance_launch(bench.spec, instance, *compiled.outcome.image), {}});
    if (tried.status.ok()) loaded.emplace(instance.text, instance.id);
  }
  return loaded;
}

// One sample of each, in this order.
std::vector<double> sample_each(Pool& pool, const std::vector<InstanceId>& turns) {
  std::vector<double> taken;
  for (std::size_t begin = 0; begin < turns.size(); begin += turns_in_job) {
    const auto part = std::span(turns).subspan(begin, std::min(turns_in_job, turns.size() - begin));
    const auto sampled = run<RoundsSampled>(pool, Rounds{{part.begin(), part.end()}, TimingPlan{}});
    if (!sampled.status.ok()) throw Error("a configuration that was right fails now: " + sampled.status.detail);
    taken.insert(taken.end(), sampled.samples_ns.begin(), sampled.samples_ns.end());
  }
  return taken;
}

// samples[c]: nanoseconds of each round. Between any two samples that count, `between` of the others are taken.
std::vector<std::vector<double>> sample_rounds(Pool& pool, const std::vector<InstanceId>& instances, int rounds,
                                               std::uint64_t seed, const std::vector<InstanceId>& others = {},
                                               std::size_t between = 0) {
  std::vector<std::vector<double>> samples(instances.size());
  std::vector<std::size_t> order(instances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<InstanceId> turns;
    for (const std::size_t i : order) {
      for (std::size_t k = 0; k < between; ++k) turns.push_back(others[random() % others.size()]);
      turns.push_back(instances[i]);
    }
    const std::vector<double> all = sample_each(pool, turns);
    for (std::size_t i = 0; i < order.size(); ++i) samples[order[i]].push_back(all[i * (between + 1) + between]);
  }
  return samples;
}

// Medians relative to the rounds', by instance; the least is 1.
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
Ratios in_fours(Pool& pool, const TruthBench& bench, const std::vector<std::pair<double, std::string>>& best,
                const std::vector<InstanceId>& instances) {
  Ratios column{{best.front().second, 1}};
  for (std::size_t begin = 1; begin < best.size(); begin += 3) {
    std::vector<InstanceId> four{instances.front()};
    const std::size_t end = std::min(begin + 3, best.size());
    for (std::size_t i = begin; i < end; ++i) four.push_back(instances[i]);
    const std::vector<double> medians = relative_medians(sample_rounds(pool, four, bench.samples_near, truth_seed));
    for (std::size_t i = begin; i < end; ++i) column[best[i].second] = medians[1 + i - begin] / medians.front();
  }
  return column;
}

// The truth's best in the worker that has loaded all: a column for each of gaps_between, and one in fours.
std::vector<Ratios> among_others(Pool& pool, const TruthBench& bench, const Ratios& ratios, const Loaded& loaded) {
  const auto best = best_of(ratios, neighbours);
  std::vector<InstanceId> instances, all;
  for (const auto& [ratio, name] : best) instances.push_back(loaded.at(name));
  for (const auto& [name, instance] : loaded) all.push_back(instance);
  std::vector<Ratios> columns;
  for (const std::size_t between : gaps_between) {
    const std::vector<double> medians =
        relative_medians(sample_rounds(pool, instances, bench.samples_near, truth_seed, all, between));
    Ratios& column = columns.emplace_back();
    for (std::size_t i = 0; i < best.size(); ++i) column[best[i].second] = medians[i];
  }
  columns.push_back(in_fours(pool, bench, best, instances));
  return columns;
}

// `alone`: in workers that have loaded nothing else.
void show_neighbours(const Truth& truth, std::vector<Ratios> alone) {
  const auto best = best_of(truth.first, neighbours);
  std::vector<Ratios> all(1);
  for (const auto& [ratio, name] : best) all.front()[name] = ratio;
  all.insert(all.end(), truth.among.begin(), truth.among.end());
  all.insert(all.end(), alone.begin(), alone.end());
  std::vector<Ratios*> columns;
  for (Ratios& one : all) columns.push_back(&one);
  compare_to_typical(columns);

  fmt::print(
      "the truth's best, with so many others between any two of them, in fours, and alone in a worker:\n| in truth ");
  for (const std::size_t between : gaps_between) fmt::print("| {} ", between);
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
  for (const auto& [name, instance] : loaded) out << fmt::format("{},{:.0f}\n", name, fmt::join(samples[i++], ","));
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
class Measuring {
 public:
  explicit Measuring(TruthBench& bench)
      : bench_(bench),
        device_(Pool(*bench.workers).device().info),
        space_(make_space(bench.spec, bench.problem, device_)),
        default_configuration_(default_configuration(bench.spec, space_).value()) {}

  Truth measure() {
    const std::vector<Configuration> all = configurations_of(space_, bench_.most);
    Truth truth;
    truth.first = in_one_worker(all, truth_seed, &truth);
    std::vector<Configuration> near;
    for (const Configuration& one : all)
      if (const auto found = truth.first.find(one.text()); found != truth.first.end() && found->second <= near_truth)
        near.push_back(one);
    truth.ratio = over_all_workers(truth.first, in_further_workers(near));
    if (!bench_.neighbours) return truth;
    std::vector<Configuration> best;
    for (const auto& [ratio, name] : best_of(truth.first, neighbours))
      best.push_back(*std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.text() == name; }));
    show_neighbours(truth, in_further_workers(best));
    return truth;
  }

 private:
  std::vector<Ratios> in_further_workers(const std::vector<Configuration>& configurations) {
    std::vector<Ratios> ratios;
    for (int i = 0; i < bench_.workers_more; ++i)
      ratios.push_back(in_one_worker(configurations, truth_seed + 1 + static_cast<std::uint64_t>(i), nullptr));
    return ratios;
  }

  // `truth`: of the first, which is also timed and asked for more. `seed`: of the order in each round.
  Ratios in_one_worker(const std::vector<Configuration>& configurations, std::uint64_t seed, Truth* truth) {
    Pool pool(*bench_.workers);
    begin(pool);
    const Loaded loaded = load(pool, bench_, device_, configurations);
    std::vector<InstanceId> instances;
    for (const auto& [name, instance] : loaded) instances.push_back(instance);
    warm_up(pool, configurations.size());
    const double before = pool.timed_seconds();
    const std::vector<std::vector<double>> samples =
        sample_rounds(pool, instances, truth == nullptr ? bench_.samples_near : bench_.samples, seed);
    const double seconds = pool.timed_seconds() - before;
    const std::vector<double> medians = relative_medians(samples);
    Ratios ratios;
    std::size_t i = 0;
    for (const auto& [name, instance] : loaded) ratios[name] = medians[i++];
    if (truth == nullptr) return ratios;

    truth->seconds = seconds;
    const auto best = std::min_element(medians.begin(), medians.end()) - medians.begin();
    truth->best_ns = median(samples[static_cast<std::size_t>(best)]);
    if (!bench_.samples_to.empty()) write_samples(bench_.samples_to, loaded, samples);
    if (bench_.neighbours) truth->among = among_others(pool, bench_, ratios, loaded);
    return ratios;
  }

  void begin(Pool& pool) {
    const auto compile = [&pool](const ImageRequest& request) { return pool.compile(request); };
    run<Begun>(pool,
               Begin{trial_setup(bench_.spec, bench_.problem, default_configuration_, device_, compile, truth_seed)});
  }

  // With the default configuration, by whose time a hang is known from then on.
  void warm_up(Pool& pool, InstanceId id) {
    const auto instance = make_instance(id, bench_.spec, bench_.problem, default_configuration_, device_);
    const CompileOutcome compiled = pool.compile(instance->image);
    if (!compiled.image) throw Error("the default configuration does not compile:\n" + compiled.log);
    const InstanceLaunch launch = instance_launch(bench_.spec, *instance, *compiled.image);
    const Status status = run<Tried>(pool, Load{launch, {.milliseconds = calibration_warm_up_ms}}).status;
    if (!status.ok()) throw Error("the default configuration fails: " + status.detail);
    const double nanoseconds = sample_each(pool, {id}).front();
    pool.set_known_good(KnownGood{Try{launch, TimingPlan{}}, nanoseconds * 1e-9});
    run<Done>(pool, Release{id});
  }

  TruthBench& bench_;
  const DeviceInfo device_;
  const SearchSpace space_;
  const Configuration default_configuration_;
};

}  // namespace

Truth measure_truth(TruthBench& bench) { return Measuring(bench).measure(); }

}  // namespace attune
