// Copies 1 GiB to the device, computes, and copies 1 GiB back, in chunks that overlap. What the talks choose by hand is
// tuned together with the kernel's own parameters: the chunk, streams, memory, order, and whether it is a graph.
//   overlap [tune|measure] [--n N] [--turns T] [--seconds S]     ATTUNE_DEVICE=host runs it without a GPU
#include <algorithm>
#include <cstdio>
#include <string>

#include "attune/error.hpp"
#include "attune/tune_callable.hpp"
#include "attune/worker.hpp"
#include "command.hpp"
#include "overlap/pipeline.hpp"

namespace {

using attune::Configuration;

constexpr char usage[] =
    "usage: overlap [tune|measure] [--n N] [--turns T] [--seconds S]\n"
    "  copies N floats (default 2^28) to the device in chunks, moves each T times (1024) and copies them back\n"
    "  without a word: once with what is known   tune: searches S seconds (30)   measure: prints tables\n";

attune::Tunable tunable() {
  const attune::Tunable pipeline{
      .name = "overlap",
      .version = "1",
      .problem = {{"n", 1 << 28}, {"turns", 1024}},
      .parameters = {{"CHUNK", {1 << 21, 1 << 18, 1 << 19, 1 << 20, 1 << 22, 1 << 23, 1 << 24, 1 << 26}},  // elements
                     {"STREAMS", {4, 1, 2, 3, 8}},
                     {"MEMORY", {"pinned", "write_combined", "mapped", "pageable"}},
                     {"ORDER", {"depth", "breadth"}},
                     {"GRAPH", {false, true}},
                     {"BLOCK", {256, 128, 512}},  // of the kernel
                     {"VECTOR", {4, 1, 2}},
                     {"ITEMS", {1, 2, 4}}},
      .rules = {"CHUNK <= max(n, 262144)", "n % VECTOR == 0", "MEMORY != 'pageable' || !GRAPH",
                "STREAMS == 1 || CHUNK < n", "ORDER == 'depth' || STREAMS > 1"},
      .make = overlap::work,
      .device = overlap::device,
  };
  return pipeline;
}

// Milliseconds of the best of some runs, after one that warms up.
double best_of(overlap::Pipeline& pipeline, const Configuration& configuration, int runs = 5) {
  double best = pipeline.run(configuration).count();
  for (int i = 0; i < runs; ++i) best = std::min(best, pipeline.run(configuration).count());
  return best;
}

void say(const char* what, double ms, double bound) {
  std::printf("| %-58s | %9.3f | %6.3f |\n", what, ms, ms / bound);
}

Configuration with(Configuration configuration, const char* name, const attune::Value& value) {
  configuration.set(name, value);
  return configuration;
}

// What each parameter is worth: all else as in `best`.
void vary(overlap::Pipeline& pipeline, const attune::Tunable& of, const Configuration& best, double bound) {
  for (const attune::Parameter& parameter : of.parameters) {
    for (const attune::Value& value : parameter.values) {
      const Configuration changed = with(best, parameter.name.c_str(), value);
      if (changed == best || (changed.at("MEMORY").name() == "pageable" && changed.at("GRAPH").boolean())) continue;
      const std::string what = parameter.name + " = " + value.text();
      try {
        say(what.c_str(), best_of(pipeline, changed, 2), bound);
      } catch (const attune::Error& error) {
        std::printf("| %-58s | %s |\n", what.c_str(), error.what());
      }
    }
  }
}

int measure(const attune::Tunable& of, const attune::Problem& problem) {
  const attune::Match match = attune::find(of, problem);
  const Configuration& best = match.configuration;
  std::printf("%s\n%s\n\n", match.why.c_str(), best.text().c_str());
  overlap::Pipeline pipeline(problem);
  const overlap::Parts parts = pipeline.parts(best);
  const double bound = std::max({parts.to_device, parts.kernel, parts.to_host});
  std::printf("| %-58s | %9s | %6s |\n|---|---:|---:|\n", "what", "ms", "ratio");
  say("copies to the device, alone", parts.alone_to_device, bound);
  say("copies to the host, alone", parts.alone_to_host, bound);
  say("copies to the device, while others go to the host", parts.to_device, bound);
  say("copies to the host, while others go to the device", parts.to_host, bound);
  say("the kernel alone, at once", parts.kernel, bound);
  say("one after the other, pageable", best_of(pipeline, overlap::serial("pageable", problem), 1), bound);
  say("one after the other, pinned", best_of(pipeline, overlap::serial("pinned", problem), 2), bound);
  const double tuned = best_of(pipeline, best, 9);
  say("tuned", tuned, bound);
  const std::string wrong = pipeline.check();
  vary(pipeline, of, best, bound);
  std::printf("\ntuned / max(to device, kernel, to host) = %.3f, the result is %s\n", tuned / bound,
              wrong.empty() ? "right" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

int once(const attune::Tunable& of, const attune::Problem& problem) {
  const attune::Match match = attune::find(of, problem);
  overlap::Pipeline pipeline(problem);
  const double ms = best_of(pipeline, match.configuration, 2);
  const std::string wrong = pipeline.check();
  std::printf("%s\n%s\n%.3f ms: %s\n", match.why.c_str(), match.configuration.text().c_str(), ms,
              wrong.empty() ? "correct" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

int run(int argc, char** argv, const attune::Tunable& of) {
  const talks::Command command(argc, argv, {"tune", "measure"}, {{"n", 1 << 28}, {"turns", 1024}, {"seconds", 30}},
                               usage);
  if (command.is_help()) return 0;
  if (const auto status = talks::skipped("overlap", [] { overlap::device(); })) return *status;
  const attune::Problem problem{{"n", command["n"]}, {"turns", command["turns"]}};
  if (command.word() == "measure") return measure(of, problem);
  if (command.word() == "tune") talks::tune(of, problem, static_cast<double>(command["seconds"]));
  return once(of, problem);
}

}  // namespace

int main(int argc, char** argv) {
  return talks::status_of("overlap", [&] {
    const attune::Tunable of = tunable();
    if (const auto served = attune::worker_main(argc, argv, {of})) return *served;
    return run(argc, argv, of);
  });
}
