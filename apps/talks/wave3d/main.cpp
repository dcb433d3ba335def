// The wave equation of order 8 on 1 to N GPUs. How planes are exchanged is tuned together with the kernel's parameters,
// and N GPUs compute the bits that one computes.
//   wave3d [tune|measure|prepare] [--gpus N] [--planes P] [--nx X] [--ny Y] [--ring 1] [--seconds S]
// ATTUNE_DEVICE=host runs it without a GPU.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "attune/error.hpp"
#include "attune/tune_callable.hpp"
#include "attune/worker.hpp"
#include "command.hpp"
#include "wave3d/bits.hpp"

namespace {

using attune::Configuration;
using attune::Problem;
using wave3d::Shape;
using wave3d::Wave;

constexpr char usage[] =
    "usage: wave3d [tune|measure|prepare] [--gpus N] [--planes P] [--nx X] [--ny Y] [--ring 1] [--seconds S]\n"
    "  steps of the wave equation on N GPUs (1) with P planes (64) of X x Y points (1024 x 1024) each\n"
    "  --ring 1: the last plane is the first one's neighbour, so that each GPU has two\n"
    "  without a word: with what is known, and compared with one GPU   tune: searches S seconds (30)\n"
    "  measure: prints how efficient N are for 8 to P planes, with what is known for 1 and for N\n"
    "  prepare: compiles every kernel that tune may try, on all cores\n";

Shape shape_of(const Problem& problem) {
  return {problem.at("nx").integer(), problem.at("ny").integer(), problem.at("planes").integer(),
          problem.at("gpus").integer(), problem.at("ring").boolean()};
}

// Nanoseconds of a step, from `runs` runs.
double step_ns(Wave& wave, int runs) {
  wave.wait();
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i) wave.run();
  wave.wait();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() /
         (runs * wave3d::run_steps);
}

// A wave on all GPUs, and the same grid on one.
struct Pair {
  explicit Pair(const Shape& shape)
      : wave(shape), one({shape.nx, shape.ny, shape.planes * shape.gpus, 1, shape.ring}) {}
  // As a rule all kernels compute the same bits. Where not, those of one GPU are computed by this one too.
  std::string check(const Configuration& configuration) {
    used = {};
    const std::vector<std::uint64_t> sums = wave3d::sums_of(wave, configuration);
    if (sums != expected) expected = wave3d::sums_of(one, wave3d::alone(configuration));
    used = configuration;
    return wave3d::difference(sums, expected);
  }
  Wave wave, one;
  Configuration used;  // of the last run or check; none where that failed, which leaves flags and streams as they are
  std::vector<std::uint64_t> expected;
};

attune::Work work(const Problem& problem) {
  const auto pair = std::make_shared<Pair>(shape_of(problem));
  pair->wave.open_nccl();
  const auto run = [pair](const Configuration& configuration) {
    const bool is_ready = configuration == std::exchange(pair->used, {});
    if (!is_ready) {
      pair->wave.begin();
      pair->wave.use(configuration);
      pair->wave.run();
    }
    const std::chrono::duration<double, std::nano> taken(step_ns(pair->wave, 1));
    pair->used = configuration;
    return taken;
  };
  return {run, [pair](const Configuration& configuration) { return pair->check(configuration); }};
}

attune::Tunable tunable() {
  std::vector<attune::Value> exchanges{"copy", "store"};
  if (wave3d::Nccl::is_there() && !wave3d::is_on_host()) exchanges.push_back("nccl");
  return {
      .name = "wave3d",
      .version = "1",
      .problem = {{"nx", 1024}, {"ny", 1024}, {"planes", 64}, {"gpus", 1}, {"ring", false}, {"peers", true}},
      .parameters = {{"EXCHANGE", exchanges},
                     {"PRIORITY", {"high", "normal"}},
                     {"DEPTH", {1, 2, 4}},
                     {"CUT", {"border", "rows"}},  // what is sent while the rest is computed
                     {"GRAPH", {false, true}},
                     {"BLOCK_X", {16, 32}},  // of the kernel, as its file lists them
                     {"BLOCK_Y", {16, 8, 32}},
                     {"VECTOR", {4, 2}},
                     {"ITEMS", {1, 2, 4}},
                     {"AHEAD", {2, 1, 3}},
                     {"CACHE", {"Cache::streaming", "Cache::plain"}},
                     {"ZCHUNK", {128, 4, 8, 16, 32, 64, 256, 512}}},
      .rules = {"4 * DEPTH <= planes",
                "gpus > 1 || ring || (EXCHANGE == 'copy' && PRIORITY == 'high' && DEPTH == 1 && CUT == 'border')",
                "EXCHANGE != 'store' || (peers && PRIORITY == 'high' && DEPTH == 1 && CUT == 'border' && not GRAPH)",
                "EXCHANGE != 'store' || planes % ZCHUNK == 0 || planes % ZCHUNK >= 4", "EXCHANGE != 'nccl' || gpus > 1",
                "CUT == 'border' || (DEPTH == 1 && ny > 2 * BLOCK_Y * ITEMS)", "nx % VECTOR == 0",
                "BLOCK_X * VECTOR >= 32", "BLOCK_X * BLOCK_Y in [128, 256, 512]", "VECTOR * ITEMS <= 8",
                "BLOCK_X * BLOCK_Y * VECTOR * ITEMS <= 2048", "ZCHUNK <= 128 || ZCHUNK < 2 * planes"},
      .make = work,
      .device = [] { return wave3d::gpus(1)[0]->device_info(); },
  };
}

// Compiles what differs for the compiler, so that no trial has to wait for that. Throws the first failure.
void prepare(const attune::Tunable& of, const Problem& problem) {
  attune::Dispatcher& gpu = *wave3d::gpus(1)[0];
  const Problem of_kernel{{"nx", problem.at("nx")}, {"ny", problem.at("ny")}, {"rows", problem.at("ny")}};
  const Problem of_store{{"nx", problem.at("nx")}, {"ny", problem.at("ny")}};
  const bool has_neighbours = problem.at("gpus").integer() > 1 || problem.at("ring").boolean();
  std::vector<Configuration> all{{{"ZCHUNK", 128}}};
  for (const char* const name : {"BLOCK_X", "BLOCK_Y", "VECTOR", "ITEMS", "AHEAD", "CACHE"}) {
    const auto parameter = std::ranges::find(of.parameters, name, &attune::Parameter::name);
    std::vector<Configuration> more;
    for (const Configuration& one : all)
      for (const attune::Value& value : parameter->values) {
        more.push_back(one);
        more.back().set(name, value);
      }
    all = std::move(more);
  }
  std::atomic<std::size_t> next = 0, made = 0;
  std::exception_ptr failure;
  std::once_flag failed;
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back([&] {
      for (std::size_t k = next++; k < all.size(); k = next++) try {
          gpu.plan("wave3d", of_kernel, all[k]);
          ++made;
          if (has_neighbours) gpu.plan("wave3d_store", of_store, all[k]);
        } catch (const attune::UsageError&) {  // not legal
        } catch (...) {
          std::call_once(failed, [&] { failure = std::current_exception(); });
          next = all.size();
        }
    });
  threads.clear();
  if (failure) std::rethrow_exception(failure);
  std::printf("%zu kernels are ready\n", made.load());
}

int once(const attune::Tunable& of, const Problem& problem) {
  const attune::Match match = attune::find(of, problem);
  Pair pair(shape_of(problem));
  const std::string wrong = pair.check(match.configuration);
  const double ns = step_ns(pair.wave, 8);
  const Shape& shape = pair.wave.shape();
  std::printf("%s\n%s\n%.1f us per step, %.1f Gpoints/s; %s\n", match.why.c_str(), match.configuration.text().c_str(),
              ns / 1e3, static_cast<double>(shape.area() * shape.planes * shape.gpus) / ns,
              wrong.empty() ? "the bits are those of one GPU" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

// What was measured for some planes per GPU.
struct Row {
  std::int64_t planes;
  double one_ns, all_ns, copy_ns, submit_ns;
  std::string wrong;
};

// The best of some measurements of at least 20 ms each.
double best_ns(Wave& wave, const Configuration& configuration) {
  wave.begin();
  wave.use(configuration);
  const double guess = step_ns(wave, 2);
  const int runs = std::clamp(static_cast<int>(2e7 / (guess * wave3d::run_steps)), 2, 400);
  double best = 1e300;
  for (int i = 0; i < 5; ++i) best = std::min(best, step_ns(wave, runs));
  return best;
}

// Nanoseconds of this thread for a step, while the GPUs are behind.
double submit_ns(Wave& wave) {
  wave.wait();
  const auto begin = std::chrono::steady_clock::now();
  wave.run();
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  wave.wait();
  return taken.count() / wave3d::run_steps;
}

// What each value of the pipeline is worth: all else as in `best`.
void vary(const attune::Tunable& of, const Configuration& best, Wave& wave, const Row& row) {
  for (const attune::Parameter& parameter : of.parameters) {
    if (parameter.name == "BLOCK_X") return;
    for (const attune::Value& value : parameter.values) {
      Configuration changed = best;
      changed.set(parameter.name, value);
      if (parameter.name == "DEPTH" && value != attune::Value(1)) changed.set("CUT", "border");
      if (parameter.name == "CUT") changed.set("DEPTH", 1);
      if (changed.at("EXCHANGE").name() == "nccl" && wave.shape().gpus == 1) continue;
      if (changed.at("EXCHANGE").name() == "store") {
        if (!wave3d::allow_neighbours(wave.shape())) continue;
        changed = wave3d::storing(changed);
      }
      if (changed == best || wave3d::radius * changed.at("DEPTH").integer() > row.planes) continue;
      const double ns = best_ns(wave, changed);
      std::printf("    %-9s = %-6s %9.1f us, efficiency %.3f\n", parameter.name.c_str(), value.text().c_str(), ns / 1e3,
                  row.one_ns / ns);
    }
  }
}

Row measure_planes(const attune::Tunable& of, const Problem& problem) {
  Problem single = problem;
  single.set("gpus", 1);
  single.set("ring", false);
  single.set("peers", true);
  const Configuration best = attune::find(of, problem).configuration;
  Row row{shape_of(problem).planes, 1e300, 0, 0, 0, ""};
  {
    Wave one(shape_of(single));  // with the kernel that was tuned for one, or the one that serves all
    Configuration same = wave3d::alone(best);
    same.set("GRAPH", true);
    for (const Configuration& each : {attune::find(of, single).configuration, wave3d::alone(best), same})
      row.one_ns = std::min(row.one_ns, best_ns(one, each));
  }
  Pair pair(shape_of(problem));
  row.all_ns = best_ns(pair.wave, best);
  row.submit_ns = submit_ns(pair.wave);
  row.copy_ns = pair.wave.copy_ms() * 1e6;
  row.wrong = pair.check(best);
  std::printf("%lld planes: one %.1f us, all %.1f us, efficiency %.3f; copy %.1f us, submit %.1f us; %s\n    %s\n",
              static_cast<long long>(row.planes), row.one_ns / 1e3, row.all_ns / 1e3, row.one_ns / row.all_ns,
              row.copy_ns / 1e3, row.submit_ns / 1e3, row.wrong.empty() ? "bits equal" : row.wrong.c_str(),
              best.text().c_str());
  vary(of, best, pair.wave, row);
  std::fflush(stdout);
  return row;
}

// The model: a launch costs a + c (planes + 2 ranges), because each range reads 8 planes of u more, a quarter of the
// bytes of a step. A side's 4 planes that go and 4 that come cost 2 c if they are copied, and c if they are stored once
// more. Returns the time of a step by the best exchange.
double model(double a, double c, double sides, bool are_peers, const Row& row) {
  const double planes = static_cast<double>(row.planes);
  const double borders = std::max(a + c * (planes + 2 + 4 * sides), a + c * 6 * sides + row.copy_ns);
  const double rows = std::max(2 * a + c * (planes + 2 + 2 * sides), a + c * (planes / 2 + 1) + row.copy_ns / 2);
  const double stored = are_peers ? a + c * (planes + 2 + sides) : borders;
  return std::max(std::min({borders, rows, stored}), row.submit_ns);
}

int print_curve(const std::vector<Row>& rows, const Shape& shape) {
  const Row &few = rows.front(), &many = rows.back();
  const double c = rows.size() < 2 ? 0 : (many.one_ns - few.one_ns) / static_cast<double>(many.planes - few.planes);
  const double a = few.one_ns - c * static_cast<double>(few.planes + 2);
  const double sides = shape.gpus > 2 || shape.ring ? 2 : static_cast<double>(shape.gpus) - 1;
  std::printf("\nmodel: launch %.1f us, plane %.3f us\n", a / 1e3, c / 1e3);
  std::printf(
      "| planes per GPU | one GPU, us | all, us | efficiency | model | exchange, us | submitting, us |\n"
      "|---:|---:|---:|---:|---:|---:|---:|\n");
  const bool are_peers = wave3d::allow_neighbours(shape);
  bool is_right = true;
  for (const Row& row : rows) {
    std::printf("| %lld | %.1f | %.1f | %.3f | %.3f | %.1f | %.1f |\n", static_cast<long long>(row.planes),
                row.one_ns / 1e3, row.all_ns / 1e3, row.one_ns / row.all_ns,
                (a + c * static_cast<double>(row.planes + 2)) / model(a, c, sides, are_peers, row), row.copy_ns / 1e3,
                row.submit_ns / 1e3);
    is_right = is_right && row.wrong.empty();
  }
  std::printf("the bits are %sthose of one GPU\n", is_right ? "" : "NOT ");
  return is_right ? 0 : 1;
}

int measure(const attune::Tunable& of, const Problem& problem) {
  std::vector<Row> rows;
  for (std::int64_t planes = 8; planes <= problem.at("planes").integer(); planes *= 2) {
    Problem each = problem;
    each.set("planes", planes);
    rows.push_back(measure_planes(of, each));
  }
  if (rows.empty()) throw attune::UsageError("measure begins with 8 planes");
  return print_curve(rows, shape_of(problem));
}

int run(int argc, char** argv, const attune::Tunable& of) {
  const talks::Command command(argc, argv, {"tune", "measure", "prepare"},
                               {{"gpus", 1}, {"planes", 64}, {"nx", 1024}, {"ny", 1024}, {"ring", 0}, {"seconds", 30}},
                               usage);
  if (command.is_help()) return 0;
  if (const auto status = talks::skipped("wave3d", [&] { wave3d::gpus(command["gpus"]); })) return *status;
  Problem problem;
  for (const char* const name : {"nx", "ny", "planes", "gpus"}) problem.set(name, command[name]);
  problem.set("ring", command["ring"] == 1);
  problem.set("peers", wave3d::allow_neighbours(shape_of(problem)));
  const bool is_search = command.word() == "tune";
  if (command.word() == "prepare" || (is_search && !wave3d::is_on_host())) prepare(of, problem);
  if (command.word() == "prepare") return 0;
  if (command.word() == "measure") return measure(of, problem);
  if (is_search) talks::tune(of, problem, static_cast<double>(command["seconds"]));
  return once(of, problem);
}

}  // namespace

int main(int argc, char** argv) {
  return talks::status_of("wave3d", [&] {
    const attune::Tunable of = tunable();
    if (const auto served = attune::worker_main(argc, argv, {of})) return *served;
    return run(argc, argv, of);
  });
}
