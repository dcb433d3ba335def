// What a launch takes of a real GPU, by its own counter.
#include <gtest/gtest.h>

#include <cstdio>

#include "attune/search_space.hpp"
#include "kernel/instantiate.hpp"
#include "kernel/problem.hpp"
#include "measure/statistics.hpp"
#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"
#include "worker/trial_worker.hpp"
#include "worker/workers.hpp"

namespace attune::test {
namespace {

using GpuEnergy = GpuTest;

TEST_F(GpuEnergy, ALaunchIsMeteredWhileTheDeviceHardlyWaits) {
  if (!device().state().energy_j) GTEST_SKIP() << device().info().name << " does not tell its energy";
  LocalWorkers workers(device());
  const DeviceOpened opened = open_worker(workers.device());
  const KernelSpec spec = load_kernel("transpose");
  const Problem problem = parse_problem(spec, "width=4096 height=4096 T=float", "cuda");
  const SearchSpace space = make_space(spec, problem, opened.info);
  const Configuration by_default = default_configuration(spec, space).value();
  TrialWorker worker(workers.device(), opened, *workers.compiler(), spec, problem, by_default, 1);
  const ImageRequest request = image_request(spec, spec.launch, problem, &by_default, opened.info);
  const CompileOutcome compiled = workers.compiler()->compile({&request, 1}).front();
  ASSERT_TRUE(compiled.image) << compiled.log;
  const TrialWorker::Checked checked = worker.check(by_default, *compiled.image);
  ASSERT_TRUE(checked.candidate) << checked.status.detail;

  constexpr int kBatch = 250;  // 10 ms
  constexpr double kSeconds = 5;
  const SamplePlan plan{.count = 1, .regime = Regime::warm, .batch = kBatch};
  const TrialWorker::Metering metering = worker.meter(*checked.candidate, plan, 0.5, kSeconds);
  ASSERT_TRUE(metering.status.ok()) << metering.status.detail;
  ASSERT_TRUE(metering.energy);
  const LaunchEnergy& energy = *metering.energy;
  SamplePlan timed = plan;
  timed.count = 20;
  const Samples samples = worker.sample(*checked.candidate, timed);
  ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
  const double busy = energy.launches * median(samples.nanoseconds) * 1e-9 / energy.seconds;
  const double watts = energy.joules * energy.launches / energy.seconds;
  std::printf("%.3g mJ, error %.2f %%, %d steps in %.3f s, at work %.1f %% of it, %.0f W\n", 1e3 * energy.joules,
              100 * energy.error, energy.steps, energy.seconds, 100 * busy, watts);

  EXPECT_GE(energy.seconds, kSeconds);
  EXPECT_GE(energy.steps, 10);
  EXPECT_GT(energy.error, 0);
  EXPECT_LT(energy.error, 0.05);
  EXPECT_GT(busy, 0.97) << "what the device takes while it waits would count as the kernel's";
  EXPECT_LT(busy, 1.03);
  EXPECT_GT(watts, 50) << "less than such a device takes when idle";
  EXPECT_LT(watts, 1.1 * device().info().power_limit_mw * 1e-3) << "more than it may take";
}

}  // namespace
}  // namespace attune::test
