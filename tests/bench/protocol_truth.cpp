// What sessions find against the truth (truth_bench.hpp): whole sessions that try every configuration of it, each with
// another seed. Prints a table: docs/results/measurement.md.
//   protocol_truth KERNEL "PROBLEM" [--samples 100] [--most 5000] [--workers 3] [--samples-near 300] [--sessions 20]
//     [--regime cold] [--parameters "VALUES=4,8"] [--compiling 0] [--device cuda:0] [--samples-to FILE] [--finals-to
//     FILE] [--places 0]
// --parameters narrows the space for truth and sessions alike. --compiling: so many compilers are at work beside the
// sessions. --samples-to: every sample of the first worker, in ns, a line for each configuration. --finals-to: the same
// of the rounds of each session, after its seed. --places: no sessions, but what of the times of the best belongs to
// where code and data lie.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <boost/program_options.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>

#include "attune/error.hpp"
#include "attune/search_space.hpp"
#include "db/wisdom_store.hpp"
#include "kernel/instantiate.hpp"
#include "session/kernel_session.hpp"
#include "truth_bench.hpp"
#include "worker/compile_lanes.hpp"
#include "worker/pool.hpp"

namespace attune {
namespace {

// Compilers that are at work until this goes: each compiles one image again and again.
class Compiling {
 public:
  Compiling(const TruthBench& bench, const std::string& attune, const std::string& device, int count)
      : workers_(process_workers(attune, device)),
        info_(Pool(*bench.workers).device().info),
        lanes_([this] { return workers_->compile_worker(info_); }, [this](const Result& result) { repeat(result); }) {
    const SearchSpace space = make_space(bench.spec, bench.problem, info_);
    std::mt19937_64 random(truth_seed);
    for (int i = 0; i < count; ++i) {
      const Configuration one = space.sample(random);
      requests_.push_back(launch_image_request(bench.spec, bench.problem, one, info_));
    }
    lanes_.set_most(static_cast<unsigned>(count));
    for (std::size_t i = 0; i < requests_.size(); ++i) lanes_.submit({compile_lane, i}, requests_[i]);
  }
  ~Compiling() { fmt::print("{} images were compiled beside it\n", compiled_.load()); }

 private:
  // On the compilers' threads. A compiler that fails altogether is left alone.
  void repeat(const Result& result) {
    const auto* const compiled = std::get_if<CompileAnswer>(&result.answer);
    if (compiled == nullptr) return;
    compiled_ += compiled->outcomes.front().image.has_value();
    lanes_.submit(result.ticket, requests_[result.ticket.number]);
  }

  const std::unique_ptr<Workers> workers_;
  const DeviceInfo info_;
  std::vector<ImageRequest> requests_;
  std::atomic<int> compiled_ = 0;
  CompileLanes lanes_;  // whose threads use the members above
};

SessionResult tune(TruthBench& bench, std::uint64_t seed) {
  KernelRequest request;
  request.spec = bench.spec;
  request.problem = bench.problem;
  request.effort = Effort::exhaustive;
  request.regime = bench.regime;
  request.protocol = Protocol{};  // not the deeper one of that effort
  request.seed = seed;
  WisdomStore store(":memory:");
  Observer observer;
  const std::atomic<int> stop{0};
  Pool pool(*bench.workers);
  return run_session(request, pool, store, nullptr, observer, stop);
}

void write_finals(const std::string& file, int seed, const SessionResult& result) {
  std::ofstream out(file, std::ios::app);
  for (const FinalistResult& finalist : result.finalists)
    out << fmt::format("{},{},{:.0f}\n", seed, finalist.configuration.text(),
                       fmt::join(finalist.measurement.samples_ns, ","));
  if (!out.flush()) throw Error("cannot write " + file);
}

void show_sessions(TruthBench& bench, const Truth& truth) {
  fmt::print(
      "| seed | regret | in the first worker | device's time, of the truth's | rounds | dropped | "
      "speed-up, 95 % | winner |\n|---:|---:|---:|---:|---:|---:|---|---|\n");
  std::map<std::string, int> winners;
  double worst = 0, worst_first = 0, least_time = 1e9, most_time = 0;
  const auto regret_in = [](const Ratios& ratios, const std::string& name) {
    return ratios.contains(name) ? ratios.at(name) - 1 : 1;
  };
  for (int seed = 1; seed <= bench.sessions; ++seed) {
    const SessionResult result = tune(bench, static_cast<std::uint64_t>(seed));
    if (!result.record) throw Error(result.explanation);
    if (!bench.finals_to.empty()) write_finals(bench.finals_to, seed, result);
    const std::string winner = result.record->configuration.text();
    const double regret = regret_in(truth.ratio, winner), first = regret_in(truth.first, winner);
    const double time = result.timed_seconds / truth.seconds;
    fmt::print("| {} | {:.2f} % | {:.2f} % | {:.1f} % | {}{} | {} | {:.3f}x [{:.3f}, {:.3f}] | {} |\n", seed,
               100 * regret, 100 * first, 100 * time, result.record->rounds,
               result.decision->is_settled ? "" : ", not settled", result.record->rounds_dropped,
               result.record->speedup, result.record->speedup_low, result.record->speedup_high, winner);
    std::fflush(stdout);
    ++winners[winner];
    worst = std::max(worst, regret);
    worst_first = std::max(worst_first, first);
    least_time = std::min(least_time, time);
    most_time = std::max(most_time, time);
  }
  fmt::print(
      "\n{} sessions: worst regret {:.2f} % ({:.2f} % in the first worker), {:.1f} to {:.1f} % of the truth's time, "
      "{} different winners\n\n",
      bench.sessions, 100 * worst, 100 * worst_first, 100 * least_time, 100 * most_time, winners.size());
}

void show_places(TruthBench& bench, std::size_t best) {
  const Places places = measure_places(bench, best);
  fmt::print("# {} {}, {}: the best {}, {} workers\n\n", bench.spec.name, bench.problem.text(), to_text(bench.regime),
             places.configurations, bench.workers_more);
  fmt::print("| one standard deviation of medians | of the time |\n|---|---:|\n");
  fmt::print("| of two halves of the rounds | {:.2f} % |\n| of loads in one worker, on the same data | {:.2f} % |\n",
             100 * places.halves, 100 * places.loads);
  fmt::print("| of data that one worker has made anew | {:.2f} % |\n| of workers | {:.2f} % |\n", 100 * places.data,
             100 * places.workers);
}

void run(TruthBench& bench, const std::string& attune, const std::string& device, int compilers) {
  const Truth truth = measure_truth(bench);
  const auto near =
      std::count_if(truth.ratio.begin(), truth.ratio.end(), [](const auto& one) { return one.second <= 1.01; });
  fmt::print("# {} {}, {}: {} configurations right, {} samples of each in {:.2f} s of the device's time\n",
             bench.spec.name, bench.problem.text(), to_text(bench.regime), truth.ratio.size(), bench.samples,
             truth.seconds);
  fmt::print(
      "those within {:.0f} % {} times in each of {} further workers; the best takes {:.2f} us, {} are within 1 %: "
      "{}\n\n",
      100 * (near_truth - 1), bench.samples_near, bench.workers_more, truth.best_ns / 1e3, near, truth.best);
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
  attune::TruthBench bench;
  std::string kernel, problem, device, regime, parameters;
  int compiling = 0;
  std::size_t places_of = 0;
  po::options_description options("protocol_truth KERNEL PROBLEM [options]");
  options.add_options()("kernel", po::value(&kernel)->required(), "a name or a file")(
      "problem", po::value(&problem)->required(), "\"n=2**24 T=float\"")(
      "samples", po::value(&bench.samples)->default_value(100), "of each configuration, for the truth")(
      "most", po::value(&bench.most)->default_value(5000), "configurations; of a larger space some are drawn")(
      "workers", po::value(&bench.workers_more)->default_value(3), "that sample those near the best as well")(
      "samples-near", po::value(&bench.samples_near)->default_value(300), "of each of them, in each further worker")(
      "sessions", po::value(&bench.sessions)->default_value(20), "each with another seed")(
      "compiling", po::value(&compiling)->default_value(0), "compilers at work beside the sessions")(
      "regime", po::value(&regime)->default_value("cold"), "cold, warm or stream")("parameters", po::value(&parameters),
                                                                                   "narrowed: \"BLOCK=128,256\"")(
      "samples-to", po::value(&bench.samples_to), "the samples of the first worker, as a file")(
      "finals-to", po::value(&bench.finals_to), "the samples of the final rounds of all sessions, as a file")(
      "places", po::value(&places_of)->default_value(0), "of so many of the best, instead: what their places change")(
      "device", po::value(&device)->default_value("cuda:0"), "");
  po::positional_options_description places;
  places.add("kernel", 1).add("problem", 1);
  po::variables_map given;
  po::store(po::command_line_parser(count, values).options(options).positional(places).run(), given);
  po::notify(given);
  const std::string attune = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "attune").string();
  bench.workers = attune::process_workers(attune, device);
  bench.spec = attune::load_kernel(kernel);
  if (std::min(bench.samples, bench.samples_near) < 2) throw attune::Error("a half needs a sample: at least 2 of each");
  if (!parameters.empty()) bench.spec = attune::narrow(std::move(bench.spec), parameters);
  bench.regime = attune::regime_of(regime).value();
  bench.problem = attune::parse_problem(bench.spec, problem, device.substr(0, device.find(':')));
  if (places_of > 0)
    attune::show_places(bench, places_of);
  else
    attune::run(bench, attune, device, compiling);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "protocol_truth: %s\n", error.what());
  return 1;
}
