#include "truth_bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <random>
#include <span>
#include <thread>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "measure/statistics.hpp"
#include "session/image_source.hpp"
#include "subject/kernel_subject.hpp"
#include "worker/pool.hpp"

namespace attune {
namespace {

constexpr double calibration_warm_up_ms = 300;
constexpr std::size_t turns_in_job = 256;             // samples that one job takes
constexpr int data_in_worker = 2, loads_of_data = 4;  // that measure_places() makes

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
Kind run(Pool& pool, DeviceJob job) {
  Result result = pool.run(std::move(job));
  if (const auto* const failure = std::get_if<Failure>(&result.answer)) throw_failure(*failure);
  return std::get<Kind>(std::move(result.answer));
}

// Instances of these configurations, numbered by their positions, with their images: those that compile.
std::vector<CompiledInstance> compile(Pool& pool, const TruthBench& bench, const DeviceInfo& device,
                                      const std::vector<Configuration>& configurations) {
  pool.set_compilers(std::max(1u, std::thread::hardware_concurrency()));
  ImageSource source(pool);
  const KernelSubject subject(bench.spec, bench.problem, device);
  for (std::size_t i = 0; i < configurations.size(); ++i) source.ask(subject.prepare(i, configurations[i]));
  std::vector<CompiledInstance> compiled;
  source.take_all(Pool::never, [&](CompiledInstance one) {
    if (one.outcome.image) compiled.push_back(std::move(one));
  });
  return compiled;
}

// Loads those that are right.
Loaded load(Pool& pool, const std::vector<CompiledInstance>& compiled) {
  Loaded loaded;
  for (const CompiledInstance& one : compiled) {
    const auto tried = run<TryAnswer>(pool, Load{instance_launch(*one.instance, *one.outcome.image), {}});
    if (tried.status.ok()) loaded.emplace(one.instance->text, one.instance->id);
  }
  return loaded;
}

// Places code and scratch memory elsewhere.
void load_again(Pool& pool, std::vector<CompiledInstance>& compiled, std::mt19937_64& random) {
  for (const CompiledInstance& one : compiled) run<Acknowledgement>(pool, Release{one.instance->id});
  std::shuffle(compiled.begin(), compiled.end(), random);
  load(pool, compiled);
}

// One sample of each, in this order.
std::vector<double> sample_each(Pool& pool, const std::vector<InstanceId>& turns, const TimingPlan& plan) {
  std::vector<double> taken;
  for (std::size_t begin = 0; begin < turns.size(); begin += turns_in_job) {
    const auto part = std::span(turns).subspan(begin, std::min(turns_in_job, turns.size() - begin));
    const auto sampled = run<RoundsAnswer>(pool, Rounds{{part.begin(), part.end()}, plan});
    if (!sampled.status.ok()) throw Error("a configuration that was right fails now: " + sampled.status.detail);
    taken.insert(taken.end(), sampled.samples_ns.begin(), sampled.samples_ns.end());
  }
  return taken;
}

// samples[c]: nanoseconds of each round.
using Samples = std::vector<std::vector<double>>;

// `renew`: before each round; the first sample after it does not count. May be empty.
Samples sample_rounds(Pool& pool, const std::vector<InstanceId>& instances, const TimingPlan& plan, int rounds,
                      std::uint64_t seed, const std::function<void(std::mt19937_64&)>& renew = {}) {
  Samples samples(instances.size());
  std::vector<std::size_t> order(instances.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    if (renew) {
      renew(random);
      sample_each(pool, instances, plan);
    }
    std::vector<InstanceId> turns;
    for (const std::size_t i : order) turns.push_back(instances[i]);
    const std::vector<double> all = sample_each(pool, turns, plan);
    for (std::size_t i = 0; i < order.size(); ++i) samples[order[i]].push_back(all[i]);
  }
  return samples;
}

// Every second round, from this one on.
Samples half_of(const Samples& samples, std::size_t first) {
  Samples half(samples.size());
  for (std::size_t c = 0; c < samples.size(); ++c)
    for (std::size_t round = first; round < samples[c].size(); round += 2) half[c].push_back(samples[c][round]);
  return half;
}

// Medians relative to the rounds', by instance; the least is 1.
std::vector<double> relative_medians(Samples samples) {
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

void write_samples(const std::string& file, const Loaded& loaded, const Samples& samples) {
  std::ofstream out(file);
  std::size_t i = 0;
  for (const auto& [name, instance] : loaded) out << fmt::format("{},{:.0f}\n", name, fmt::join(samples[i++], ","));
  if (!out.flush()) throw Error("cannot write " + file);
}

// What one half of the samples says, and what the other half says.
struct Halves {
  Ratios choosing, judging;
};

// For configurations near the best: the median over all workers, each of which compares them among themselves.
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
  return all;
}

// Relative to the configuration that the first half chooses, by the second half: its luck is in none of these ratios.
Ratios judged(const Halves& halves, std::string* best = nullptr) {
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const std::string chosen = std::min_element(halves.choosing.begin(), halves.choosing.end(), less)->first;
  if (best != nullptr) *best = chosen;
  Ratios ratios = halves.judging;
  const double of_best = ratios.at(chosen);
  for (auto& [name, ratio] : ratios) ratio /= of_best;
  return ratios;
}

// The truth, worker by worker, each of them a fresh process.
class Measuring {
 public:
  explicit Measuring(TruthBench& bench)
      : bench_(bench),
        device_(Pool(*bench.workers).device().info),
        space_(make_space(bench.spec, bench.problem, device_)),
        default_configuration_(default_configuration(bench.spec, bench.problem, device_).value()),
        plan_{.regime = bench.regime} {}

  Truth measure() {
    const std::vector<Configuration> all = configurations_of(space_, bench_.most);
    Truth truth;
    Halves first = in_one_worker(all, truth_seed, &truth), more;
    truth.first = judged(first);
    std::vector<Configuration> near;
    for (const Configuration& one : all) {
      const auto is_near = [&](const Ratios& ratios) {
        const auto found = ratios.find(one.text());
        return found != ratios.end() && found->second <= near_truth;
      };
      if (is_near(first.choosing) || is_near(first.judging)) near.push_back(one);
    }
    std::vector<Ratios> choosing, judging;
    for (int i = 0; i < bench_.workers_more; ++i) {
      Halves halves = in_one_worker(near, truth_seed + 1 + static_cast<std::uint64_t>(i), nullptr);
      choosing.push_back(std::move(halves.choosing));
      judging.push_back(std::move(halves.judging));
    }
    truth.ratio = judged(
        {over_all_workers(first.choosing, std::move(choosing)), over_all_workers(first.judging, std::move(judging))},
        &truth.best);
    return truth;
  }

  Places places(std::size_t most) {
    const Halves all = in_one_worker(configurations_of(space_, bench_.most), truth_seed, nullptr);
    const auto limit = [&](std::size_t count) {
      std::vector<double> ratios;
      for (const auto& [name, ratio] : all.choosing) ratios.push_back(ratio);
      std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(count - 1), ratios.end());
      return ratios[count - 1];
    }(std::min(most, all.choosing.size()));
    std::vector<Configuration> best;
    for (const Configuration& one : configurations_of(space_, bench_.most))
      if (const auto found = all.choosing.find(one.text()); found != all.choosing.end() && found->second <= limit)
        best.push_back(one);
    Level workers, data, loads, halves;
    for (int worker = 0; worker < bench_.workers_more; ++worker) {
      Pool pool(*bench_.workers);
      std::vector<Medians> of_data;
      for (int i = 0; i < data_in_worker; ++i) of_data.push_back(on_fresh_data(pool, best, loads, halves));
      workers.means.push_back(data.add(of_data));
    }
    workers.add(workers.means);
    return {best.size(), halves.deviation(), loads.deviation(), data.deviation(), workers.deviation()};
  }

 private:
  using Medians = std::vector<double>;  // logarithms, by configuration, relative to their mean

  // Sets of medians that one thing alone tells apart.
  struct Level {
    std::vector<Medians> means;
    double squares = 0;
    std::size_t freedom = 0;
    // Returns their means.
    Medians add(const std::vector<Medians>& sets) {
      Medians mean(sets.front().size());
      for (std::size_t c = 0; c < mean.size(); ++c) {
        for (const Medians& set : sets) mean[c] += set[c] / static_cast<double>(sets.size());
        for (const Medians& set : sets) squares += (set[c] - mean[c]) * (set[c] - mean[c]);
      }
      freedom += (sets.size() - 1) * mean.size();
      return mean;
    }
    double deviation() const { return freedom == 0 ? 0 : std::sqrt(squares / static_cast<double>(freedom)); }
  };

  Medians on_fresh_data(Pool& pool, const std::vector<Configuration>& best, Level& loads, Level& halves) {
    begin(pool);
    warm_up(pool, best.size());
    std::vector<CompiledInstance> compiled = compile(pool, bench_, device_, best);
    const Loaded loaded = load(pool, compiled);
    std::vector<InstanceId> instances;
    for (const Configuration& one : best) instances.push_back(loaded.at(one.text()));
    std::vector<Medians> of_loads;
    for (int i = 0; i < loads_of_data; ++i) {
      load_again(pool, compiled, random_);
      const Samples samples = sample_rounds(pool, instances, plan_, bench_.samples_near, random_());
      of_loads.push_back(halves.add({centred(half_of(samples, 0)), centred(half_of(samples, 1))}));
    }
    return loads.add(of_loads);
  }

  static Medians centred(Samples samples) {
    Medians medians = relative_medians(std::move(samples));
    for (double& one : medians) one = std::log(one);
    const double mean = std::accumulate(medians.begin(), medians.end(), 0.0) / static_cast<double>(medians.size());
    for (double& one : medians) one -= mean;
    return medians;
  }

  // `truth`: of the first, which is also timed. `seed`: of the order in each round.
  Halves in_one_worker(const std::vector<Configuration>& configurations, std::uint64_t seed, Truth* truth) {
    Pool pool(*bench_.workers);
    begin(pool);
    std::vector<CompiledInstance> compiled = compile(pool, bench_, device_, configurations);
    const Loaded loaded = load(pool, compiled);
    std::erase_if(compiled, [&](const CompiledInstance& one) { return !loaded.contains(one.instance->text); });
    std::vector<InstanceId> instances;
    for (const auto& [name, instance] : loaded) instances.push_back(instance);
    warm_up(pool, configurations.size());
    std::function<void(std::mt19937_64&)> renew;
    if (truth == nullptr && bench_.regime == Regime::stream)
      renew = [&](std::mt19937_64& random) { load_again(pool, compiled, random); };
    const double before = pool.figures().timed_seconds;
    const Samples samples =
        sample_rounds(pool, instances, plan_, truth == nullptr ? bench_.samples_near : bench_.samples, seed, renew);
    const double seconds = pool.figures().timed_seconds - before;
    const std::vector<double> choosing = relative_medians(half_of(samples, 0)),
                              judging = relative_medians(half_of(samples, 1));
    Halves halves;
    std::size_t i = 0;
    for (const auto& [name, instance] : loaded) {
      halves.choosing[name] = choosing[i];
      halves.judging[name] = judging[i++];
    }
    if (truth == nullptr) return halves;

    truth->seconds = seconds;
    const auto best = std::min_element(choosing.begin(), choosing.end()) - choosing.begin();
    truth->best_ns = median(samples[static_cast<std::size_t>(best)]);
    if (!bench_.samples_to.empty()) write_samples(bench_.samples_to, loaded, samples);
    return halves;
  }

  void begin(Pool& pool) {
    const auto compile = [&pool](const ImageRequest& request) { return pool.compile(request); };
    run<BeginAnswer>(
        pool,
        Begin{KernelSubject(bench_.spec, bench_.problem, device_).setup(default_configuration_, compile, truth_seed)});
  }

  // With the default configuration, by whose time a hang is known from then on. In a stream, its time decides how long
  // graphs are, as in a session.
  void warm_up(Pool& pool, InstanceId id) {
    const KernelSubject subject(bench_.spec, bench_.problem, device_);
    const auto instance = subject.prepare(id, default_configuration_);
    const CompileOutcome compiled = pool.compile(*instance->image);
    if (!compiled.image) throw Error("the default configuration does not compile:\n" + compiled.log);
    const InstanceLaunch launch = instance_launch(*instance, *compiled.image);
    const Status status = run<TryAnswer>(pool, Load{launch, {.milliseconds = calibration_warm_up_ms}}).status;
    if (!status.ok()) throw Error("the default configuration fails: " + status.detail);
    double nanoseconds = sample_each(pool, {id}, plan_).front();
    for (int i = 0; i < 2 && bench_.regime == Regime::stream; ++i) {
      plan_.batch = batch_for(nanoseconds, Protocol{});
      nanoseconds = sample_each(pool, {id}, plan_).front();
    }
    pool.set_known_good(KnownGood{Try{launch, plan_}, nanoseconds * 1e-9});
    run<Acknowledgement>(pool, Release{id});
  }

  TruthBench& bench_;
  const DeviceInfo device_;
  const SearchSpace space_;
  const Configuration default_configuration_;
  TimingPlan plan_;
  std::mt19937_64 random_{truth_seed};
};

}  // namespace

Truth measure_truth(TruthBench& bench) { return Measuring(bench).measure(); }

Places measure_places(TruthBench& bench, std::size_t best) { return Measuring(bench).places(best); }

}  // namespace attune
