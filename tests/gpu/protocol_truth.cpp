// What sessions find against the truth: every legal configuration, or some drawn once, sampled many times in randomised
// complete blocks; then whole sessions that try every one of them, each with another seed. Prints a table:
// docs/results/measurement.md.
//   protocol_truth KERNEL "PROBLEM" [--samples 100] [--most 5000] [--sessions 20] [--device cuda:0] [--compiling N]
//     [--neighbours]
// --compiling: the same sessions once more, with so many compilers at work beside them. --neighbours: how the truth's
// best compare when they are sampled among themselves, and with others in between.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <map>
#include <numeric>
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

struct Bench {
  std::unique_ptr<Workers> workers;
  KernelSpec spec;
  Problem problem;
  int samples = 100, sessions = 20;
  std::size_t most = 5000;
  bool neighbours = false;
};

struct Truth {
  std::map<std::string, double> ratio;  // to the best, by configuration
  double seconds = 0;                   // that the device was timed for
  double best_ns = 0;
  std::string best;
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
std::map<std::string, TrialWorker::CandidateId> load(TrialWorker& worker, Bench& bench, const DeviceInfo& device,
                                                     const std::vector<Configuration>& configurations) {
  ImageSource source(bench.workers->compiler(), std::max(1u, std::thread::hardware_concurrency()));
  for (std::size_t i = 0; i < configurations.size(); ++i)
    source.ask(i, image_request(bench.spec, bench.spec.launch, bench.problem, &configurations[i], device));
  const std::atomic<int> stop{0};
  std::map<std::string, TrialWorker::CandidateId> loaded;
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

// Medians relative to the rounds', by candidate. Between any two samples that count, `between` of all others are taken.
std::vector<double> relative_medians(TrialWorker& worker, const std::vector<TrialWorker::CandidateId>& candidates,
                                     int rounds, const std::vector<TrialWorker::CandidateId>& others = {},
                                     std::size_t between = 0) {
  std::vector<std::vector<double>> relative(candidates.size());
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
    std::vector<double> counted;
    for (std::size_t i = between; i < all.size(); i += between + 1) counted.push_back(all[i]);
    const double typical = median(counted);
    for (std::size_t i = 0; i < order.size(); ++i) relative[order[i]].push_back(counted[i] / typical);
  }
  std::vector<double> medians;
  for (const std::vector<double>& one : relative) medians.push_back(median(one));
  const double least = *std::min_element(medians.begin(), medians.end());
  for (double& one : medians) one /= least;
  return medians;
}

void show_neighbours(TrialWorker& worker, const Bench& bench, const Truth& truth,
                     const std::map<std::string, TrialWorker::CandidateId>& loaded) {
  std::vector<std::pair<double, std::string>> best;
  for (const auto& [name, ratio] : truth.ratio) best.emplace_back(ratio, name);
  std::sort(best.begin(), best.end());
  best.resize(std::min<std::size_t>(best.size(), 12));
  std::vector<TrialWorker::CandidateId> candidates, all;
  for (const auto& [ratio, name] : best) candidates.push_back(loaded.at(name));
  for (const auto& [name, candidate] : loaded) all.push_back(candidate);
  fmt::print("the truth's best, sampled with so many others between any two of them:\n| in truth ");
  std::vector<std::vector<double>> columns;
  for (const std::size_t between : {0, 1, 4, 16, 64}) {
    columns.push_back(relative_medians(worker, candidates, bench.samples, all, between));
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

Truth measure_truth(Bench& bench) {
  const DeviceOpened opened = open_worker(bench.workers->device());
  const SearchSpace space = make_space(bench.spec, bench.problem, opened.info);
  const Configuration by_default = default_configuration(bench.spec, space).value();
  TrialWorker worker(bench.workers->device(), opened, *bench.workers->compiler(), bench.spec, bench.problem, by_default,
                     kSeed);
  const auto loaded = load(worker, bench, opened.info, configurations_of(space, bench.most));
  std::vector<TrialWorker::CandidateId> candidates;
  for (const auto& [name, candidate] : loaded) candidates.push_back(candidate);
  worker.warm_up(candidates.front(), {.milliseconds = kWarmUpMs});
  const double before = worker.timed_seconds();
  const std::vector<double> medians = relative_medians(worker, candidates, bench.samples);

  Truth truth;
  truth.seconds = worker.timed_seconds() - before;
  std::size_t i = 0;
  for (const auto& [name, candidate] : loaded) {
    truth.ratio[name] = medians[i];
    if (medians[i++] > 1) continue;
    truth.best = name;
    std::vector<double> times = sample_each(worker, std::vector<TrialWorker::CandidateId>(21, candidate));
    truth.best_ns = median(times);
  }
  if (bench.neighbours) show_neighbours(worker, bench, truth, loaded);
  return truth;
}

// Compilers that are at work until this goes.
class Compiling {
 public:
  Compiling(const Bench& bench, const std::string& attune, const std::string& device, int count)
      : workers_(process_workers(attune, {"--device", device}, device)) {
    const DeviceInfo info = open_worker(bench.workers->device()).info;
    const SearchSpace space = make_space(bench.spec, bench.problem, info);
    std::mt19937_64 random(kSeed);
    for (int i = 0; i < count; ++i) {
      const Configuration one = space.sample(random);
      threads_.emplace_back([this, request = image_request(bench.spec, bench.spec.launch, bench.problem, &one, info)] {
        while (!ends_) compiled_ += workers_->compiler()->compile({&request, 1}).front().image.has_value();
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
  fmt::print("| seed | regret | device's time, of the truth's | filling gaps | batch | speed-up, 95 % | winner |\n");
  fmt::print("|---:|---:|---:|---:|---:|---|---|\n");
  std::map<std::string, int> winners;
  double worst = 0, most_time = 0;
  for (int seed = 1; seed <= bench.sessions; ++seed) {
    const SessionResult result = tune(bench, static_cast<std::uint64_t>(seed));
    if (!result.record) throw Error(result.explanation);
    const std::string winner = result.record->configuration.text();
    const double regret = truth.ratio.contains(winner) ? truth.ratio.at(winner) - 1 : 1;
    const double time = result.timed_seconds / truth.seconds;
    fmt::print("| {} | {:.2f} % | {:.1f} % | {:.1f} % | {} | {:.3f}x [{:.3f}, {:.3f}] | {} |\n", seed, 100 * regret,
               100 * time, 100 * result.filling_seconds / truth.seconds, result.record->batch, result.record->speedup,
               result.record->speedup_low, result.record->speedup_high, winner);
    std::fflush(stdout);
    ++winners[winner];
    worst = std::max(worst, regret);
    most_time = std::max(most_time, time);
  }
  fmt::print("\n{} sessions: worst regret {:.2f} %, at most {:.1f} % of the truth's time, {} different winners\n\n",
             bench.sessions, 100 * worst, 100 * most_time, winners.size());
}

void run(Bench& bench, const std::string& attune, const std::string& device, int compilers) {
  const Truth truth = measure_truth(bench);
  const auto near =
      std::count_if(truth.ratio.begin(), truth.ratio.end(), [](const auto& one) { return one.second <= 1.01; });
  fmt::print("# {} {}: {} configurations right, {} samples of each in {:.2f} s of the device's time\n", bench.spec.name,
             bench.problem.text(), truth.ratio.size(), bench.samples, truth.seconds);
  fmt::print("best in truth {:.2f} us: {}; {} configurations within 1 %\n\n", truth.best_ns / 1e3, truth.best, near);
  show_sessions(bench, truth);
  if (compilers == 0) return;
  fmt::print("with {} compilers at work beside it:\n", compilers);
  const Compiling compiling(bench, attune, device, compilers);
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
      "sessions", po::value(&bench.sessions)->default_value(20), "each with another seed")(
      "compiling", po::value(&compiling)->default_value(0), "compilers beside a second series of sessions")(
      "neighbours", po::bool_switch(&bench.neighbours), "what the truth's best depend on")(
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
