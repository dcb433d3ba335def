// What sessions find against the truth: every legal configuration, or some drawn once, sampled many times in randomised
// complete blocks; those near the best as many times in further workers, since where a worker has its code and data is
// chance that belongs to none of them. Then whole sessions that try every one of them, each with another seed. Prints a
// table: docs/results/measurement.md.
//   protocol_truth KERNEL "PROBLEM" [--samples 100] [--most 5000] [--workers 3] [--sessions 20] [--compiling 0]
//     [--device cuda:0] [--neighbours] [--samples-to FILE]
// --compiling: so many compilers are at work beside the sessions. --neighbours: how the truth's best compare when they
// are sampled among themselves, and with others in between. --samples-to: every sample of the first worker, in ns, a
// line for each configuration.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "core/instantiate.hpp"
#include "core/problem.hpp"
#include "db/wisdom_store.hpp"
#include "measure/statistics.hpp"
#include "session/image_source.hpp"
#include "session/session.hpp"
#include "spec/kernel_file.hpp"
#include "worker/trial_worker.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

constexpr std::uint64_t kSeed = 1;
constexpr double kWarmUpMs = 300;
constexpr std::size_t kInOneGo = 256;  // samples that are asked for at once
constexpr double kNear = 1.05;         // of what further workers sample, to the best

struct Bench {
  std::unique_ptr<Workers> workers;
  KernelSpec spec;
  Problem problem;
  int samples = 100, workers_more = 3, sessions = 20;
  std::size_t most = 5000;
  bool neighbours = false;
  std::string samples_to;
};

using Ratios = std::map<std::string, double>;  // to the best, by configuration
using Loaded = std::map<std::string, TrialWorker::CandidateId>;

struct Truth {
  Ratios first;        // in the first worker alone
  Ratios ratio;        // over all workers
  double seconds = 0;  // that the device was timed for, in the first
  double best_ns = 0;  // in the first
};

std::vector<Configuration> configurations_of(const SearchSpace& space, std::size_t most) {
  std::vector<Configuration> all;
  std::mt19937_64 random(kSeed);
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
                                               const std::vector<TrialWorker::CandidateId>& others = {},
                                               std::size_t between = 0) {
  std::vector<std::vector<double>> samples(candidates.size());
  std::vector<std::size_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937_64 random(kSeed);
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

void show_neighbours(TrialWorker& worker, const Bench& bench, const Ratios& ratios, const Loaded& loaded) {
  std::vector<std::pair<double, std::string>> best;
  for (const auto& [name, ratio] : ratios) best.emplace_back(ratio, name);
  std::sort(best.begin(), best.end());
  best.resize(std::min<std::size_t>(best.size(), 12));
  std::vector<TrialWorker::CandidateId> candidates, all;
  for (const auto& [ratio, name] : best) candidates.push_back(loaded.at(name));
  for (const auto& [name, candidate] : loaded) all.push_back(candidate);
  fmt::print("the truth's best, sampled with so many others between any two of them:\n| in truth ");
  std::vector<std::vector<double>> columns;
  for (const std::size_t between : {0, 1, 4, 16, 64}) {
    columns.push_back(relative_medians(sample_rounds(worker, candidates, bench.samples, all, between)));
    fmt::print("| {} ", between);
  }
  fmt::print("| configuration |\n|---:|---:|---:|---:|---:|---:|---|\n");
  for (std::size_t i = 0; i < best.size(); ++i) {
    fmt::print("| {:.4f} ", best[i].first);
    for (const std::vector<double>& column : columns) fmt::print("| {:.4f} ", column[i]);
    fmt::print("| {} |\n", best[i].second);
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
Ratios over_all_workers(const Ratios& first, const std::vector<Ratios>& more) {
  Ratios all = first;
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
    truth.first = in_one_worker(all, &truth);
    std::vector<Configuration> near;
    for (const Configuration& one : all)
      if (const auto found = truth.first.find(one.text()); found != truth.first.end() && found->second <= kNear)
        near.push_back(one);
    std::vector<Ratios> more;
    for (int i = 0; i < bench_.workers_more; ++i) {
      bench_.workers->device().restart();
      more.push_back(in_one_worker(near, nullptr));
    }
    truth.ratio = over_all_workers(truth.first, more);
    return truth;
  }

 private:
  // `truth`: of the first, which is also timed and asked for more.
  Ratios in_one_worker(const std::vector<Configuration>& configurations, Truth* truth) {
    TrialWorker worker(bench_.workers->device(), device_, *bench_.workers->compiler(), bench_.spec, bench_.problem,
                       default_configuration(bench_.spec, space_).value(), kSeed);
    const Loaded loaded = load(worker, bench_, device_.info, configurations);
    std::vector<TrialWorker::CandidateId> candidates;
    for (const auto& [name, candidate] : loaded) candidates.push_back(candidate);
    worker.warm_up(candidates.front(), {.milliseconds = kWarmUpMs});
    const double before = worker.timed_seconds();
    const std::vector<std::vector<double>> samples = sample_rounds(worker, candidates, bench_.samples);
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
    if (bench_.neighbours) show_neighbours(worker, bench_, ratios, loaded);
    return ratios;
  }

  Bench& bench_;
  DeviceOpened device_;
  SearchSpace space_;
};

// Compilers that are at work until this goes.
class Compiling {
 public:
  Compiling(const Bench& bench, const std::string& attune, const std::string& device, int count)
      : workers_(process_workers(attune, {"--device", device}, device)), compiler_(workers_->compiler()) {
    const DeviceInfo info = open_worker(bench.workers->device()).info;
    const SearchSpace space = make_space(bench.spec, bench.problem, info);
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < count; ++i) {
      const Configuration one = space.sample(random);
      threads_.emplace_back([this, request = image_request(bench.spec, bench.spec.launch, bench.problem, &one, info)] {
        while (!ends_) compiled_ += compiler_->compile({&request, 1}).front().image.has_value();
      });
    }
  }
  ~Compiling() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
    if (!threads_.empty()) fmt::print("{} images were compiled beside it\n", compiled_.load());
  }

 private:
  std::unique_ptr<Workers> workers_;
  std::shared_ptr<Compiler> compiler_;
  std::atomic<bool> ends_ = false;
  std::atomic<int> compiled_ = 0;
  std::vector<std::thread> threads_;
};

SessionResult tune(Bench& bench, std::uint64_t seed) {
  SessionRequest request;
  request.spec = bench.spec;
  request.problem = bench.problem;
  request.effort = Effort::exhaustive;
  request.protocol = Protocol{};  // not the deeper one of that effort
  request.seed = seed;
  WisdomStore store(":memory:");
  Observer observer;
  const std::atomic<int> stop{0};
  return run_session(request, *bench.workers, store, nullptr, observer, stop);
}

void show_sessions(Bench& bench, const Truth& truth) {
  fmt::print(
      "| seed | regret | in the first worker | device's time, of the truth's | filling gaps | rounds | dropped | "
      "speed-up, 95 % | winner |\n|---:|---:|---:|---:|---:|---:|---:|---|---|\n");
  std::map<std::string, int> winners;
  double worst = 0, worst_first = 0, least_time = 1, most_time = 0;
  const auto regret_in = [](const Ratios& ratios, const std::string& name) {
    return ratios.contains(name) ? ratios.at(name) - 1 : 1;
  };
  for (int seed = 1; seed <= bench.sessions; ++seed) {
    const SessionResult result = tune(bench, static_cast<std::uint64_t>(seed));
    if (!result.record) throw Error(result.explanation);
    const std::string winner = result.record->configuration.text();
    const double regret = regret_in(truth.ratio, winner), first = regret_in(truth.first, winner);
    const double time = result.timed_seconds / truth.seconds;
    fmt::print("| {} | {:.2f} % | {:.2f} % | {:.1f} % | {:.1f} % | {} | {} | {:.3f}x [{:.3f}, {:.3f}] | {} |\n", seed,
               100 * regret, 100 * first, 100 * time, 100 * result.filling_seconds / truth.seconds,
               result.record->rounds, result.record->rounds_dropped, result.record->speedup, result.record->speedup_low,
               result.record->speedup_high, winner);
    std::fflush(stdout);
    ++winners[winner];
    worst = std::max(worst, regret);
    worst_first = std::max(worst_first, first);
    least_time = std::min(least_time, time);
    most_time = std::max(most_time, time);
  }
  fmt::print(
      "\n{} sessions: worst regret {:.2f} % ({:.2f} % in the first worker), {:.1f} to {:.1f} % of the truth's time, {} "
      "different winners\n\n",
      bench.sessions, 100 * worst, 100 * worst_first, 100 * least_time, 100 * most_time, winners.size());
}

void run(Bench& bench, const std::string& attune, const std::string& device, int compilers) {
  const Truth truth = TruthBench(bench).measure();
  const auto near =
      std::count_if(truth.ratio.begin(), truth.ratio.end(), [](const auto& one) { return one.second <= 1.01; });
  fmt::print("# {} {}: {} configurations right, {} samples of each in {:.2f} s of the device's time\n", bench.spec.name,
             bench.problem.text(), truth.ratio.size(), bench.samples, truth.seconds);
  fmt::print("those within {:.0f} % also in {} further workers; the best takes {:.2f} us, {} are within 1 %\n\n",
             100 * (kNear - 1), bench.workers_more, truth.best_ns / 1e3, near);
  std::optional<Compiling> compiling;
  if (compilers > 0) {
    fmt::print("with {} compilers at work beside it:\n\n", compilers);
    compiling.emplace(bench, attune, device, compilers);
  }
  show_sessions(bench, truth);
}

}  // namespace
}  // namespace attune

int main(int count, char** values) try {
  namespace po = boost::program_options;
  attune::Bench bench;
  std::string kernel, problem, device;
  int compiling = 0;
  po::options_description options("protocol_truth KERNEL PROBLEM [options]");
  options.add_options()("kernel", po::value(&kernel)->required(), "a name or a file")(
      "problem", po::value(&problem)->required(), "\"n=2**24 T=float\"")(
      "samples", po::value(&bench.samples)->default_value(100), "of each configuration, for the truth")(
      "most", po::value(&bench.most)->default_value(5000), "configurations; of a larger space some are drawn")(
      "workers", po::value(&bench.workers_more)->default_value(3), "that sample those near the best once more")(
      "sessions", po::value(&bench.sessions)->default_value(20), "each with another seed")(
      "compiling", po::value(&compiling)->default_value(0), "compilers at work beside the sessions")(
      "neighbours", po::bool_switch(&bench.neighbours), "what the truth's best depend on")(
      "samples-to", po::value(&bench.samples_to), "the samples of the first worker, as a file")(
      "device", po::value(&device)->default_value("cuda:0"), "");
  po::positional_options_description places;
  places.add("kernel", 1).add("problem", 1);
  po::variables_map given;
  po::store(po::command_line_parser(count, values).options(options).positional(places).run(), given);
  po::notify(given);
  const std::string attune = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "attune").string();
  bench.workers = attune::process_workers(attune, {"--device", device}, device);
  bench.spec = attune::load_kernel(kernel);
  bench.problem = attune::parse_problem(bench.spec, problem, device.substr(0, device.find(':')));
  attune::run(bench, attune, device, compiling);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "protocol_truth: %s\n", error.what());
  return 1;
}
