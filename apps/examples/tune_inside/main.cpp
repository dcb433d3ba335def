// Tunes a kernel inside the program that launches it, as FFTW_MEASURE does. Configurations are tried in further
// processes of this program, but `tune_inside here` tries them in this process. ATTUNE_DEVICE=host runs it without a
// GPU.
#include <cstdio>
#include <vector>

#include "attune/attune.hpp"
#include "attune/kernel_files.hpp"
#include "attune/tune.hpp"
#include "attune/worker.hpp"

int main(int argc, char** argv) try {
  if (const auto served = attune::worker_main(argc, argv)) return *served;
  const std::size_t n = 100'000;
  attune::Dispatcher gpu;
  gpu.add(attune::kernel_file(SMOOTH_FILE));  // CMakeLists.txt names apps/examples/own_kernel/smooth.cu
  const attune::Kernel smooth = gpu.kernel("smooth");
  const attune::Buffer<float> in(gpu, std::vector<float>(n, 1)), out(gpu, n);
  smooth.launch(nullptr, {}, out, in, n);  // the default configuration

  attune::TuneOptions options;
  options.isolation = argc > 1 ? attune::Isolation::none : attune::Isolation::processes;
  options.seconds = 2;
  options.trials = 6;
  options.on_trial = [](const attune::TuneTrial& trial) {
    std::printf("%lld trials, best %.1f us\n", static_cast<long long>(trial.trials), trial.best_ns / 1e3);
  };
  const attune::Problem problem{{"n", n}, {"T", "float"}};
  const attune::TuneResult tuned = attune::tune(gpu, SMOOTH_FILE, problem, attune::Effort::measure, options);
  if (!tuned.configuration) throw attune::Error(tuned.explanation);
  std::printf("%s: %.2fx over the default\n", tuned.configuration->text().c_str(), tuned.speedup);

  gpu.refresh();                           // launches take the result up
  smooth.launch(nullptr, {}, out, in, n);  // the best configuration
  gpu.synchronize();
  const attune::Match match = gpu.match("smooth", problem);
  std::printf("%s\n", match.why.c_str());
  return match.rung == attune::Rung::exact && out.to_vector() == std::vector<float>(n, 1) ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "tune_inside: %s\n", error.what());
  return 1;
}
