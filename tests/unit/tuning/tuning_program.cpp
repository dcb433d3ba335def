// A program that tunes a kernel file on the host device: tuning_program serving|plain FILE.cu DATABASE. Only one that
// is `serving` calls worker_main() first, as it does where it is started as a worker.
#include <cstdio>
#include <string_view>

#include "attune/attune.hpp"
#include "attune/tune.hpp"
#include "attune/worker.hpp"

int main(int argc, char** argv) try {
  if (argc < 2 || std::string_view(argv[1]) != "plain")
    if (const auto served = attune::worker_main(argc, argv)) return *served;
  if (argc < 4) {
    std::puts("no worker");
    return 2;
  }
  attune::DispatcherOptions options;
  options.device = "host";
  options.database = argv[3];
  attune::Dispatcher gpu(options);
  attune::TuneOptions chosen;
  chosen.trials = 2;
  chosen.seconds = 3;
  const attune::TuneResult tuned = attune::tune(gpu, argv[2], {{"n", 2000}}, attune::Effort::measure, chosen);
  std::printf("%s\n", tuned.configuration ? "tuned" : tuned.explanation.c_str());
  return tuned.configuration ? 0 : 3;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
