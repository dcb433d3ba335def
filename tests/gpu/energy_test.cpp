// What a launch takes of a real GPU, by its own counter.
#include <gtest/gtest.h>

#include <cstdio>

#include "attune/search_space.hpp"
#include "device/cuda/nvml.hpp"
#include "kernel/problem.hpp"
#include "measure/statistics.hpp"
#include "spec/kernel_file.hpp"
#include "subject/kernel_subject.hpp"
#include "support/gpu.hpp"
#include "worker/pool.hpp"

namespace attune::test {
namespace {

using GpuEnergy = GpuTest;

TEST_F(GpuEnergy, ALaunchIsMeteredWhileTheDeviceHardlyWaits) {
  if (!instruments().state().energy_j) GTEST_SKIP() << device().info().name << " does not tell its energy";
  LocalWorkers workers(device());
  Pool pool(workers);
  const DeviceInfo& info = pool.device().info;
  const KernelSpec spec = load_kernel("transpose");
  const Problem problem = parse_problem(spec, "width=4096 height=4096 T=float", "cuda");
  const KernelSubject subject(spec, problem, info);
  const Configuration default_configuration = subject.default_configuration().value();
  const auto compile = [&pool](const ImageRequest& request) { return pool.compile(request); };
  const Result begun = pool.run(Begin{subject.setup(default_configuration, compile, 1)});
  ASSERT_TRUE(std::holds_alternative<BeginAnswer>(begun.answer));
  const std::shared_ptr<const Instance> instance = subject.prepare(1, default_configuration);
  const CompileOutcome compiled = compile(*instance->image);
  ASSERT_TRUE(compiled.image) << compiled.log;
  const Result loaded = pool.run(Load{instance_launch(*instance, *compiled.image), {}});
  const Status& checked = std::get<TryAnswer>(loaded.answer).status;
  ASSERT_TRUE(checked.ok()) << checked.detail;

  constexpr int metering_batch = 250;  // 10 ms
  constexpr double metering_seconds = 5;
  const TimingPlan plan{.count = 1, .regime = Regime::warm, .batch = metering_batch};
  const Result metered = pool.run(Meter{instance->id, plan, 0.5, metering_seconds});
  const auto& metering = std::get<MeterAnswer>(metered.answer);
  ASSERT_TRUE(metering.status.ok()) << metering.status.detail;
  ASSERT_TRUE(metering.energy);
  const LaunchEnergy& energy = *metering.energy;
  const Result timed = pool.run(Rounds{std::vector<InstanceId>(20, instance->id), plan});
  const auto& samples = std::get<RoundsAnswer>(timed.answer);
  ASSERT_TRUE(samples.status.ok()) << samples.status.detail;
  const double busy = energy.launches * median(samples.samples_ns) * 1e-9 / energy.seconds;
  const double watts = energy.joules * energy.launches / energy.seconds;
  std::printf("%.3g mJ, error %.2f %%, %d steps in %.3f s, at work %.1f %% of it, %.0f W\n", 1e3 * energy.joules,
              100 * energy.error, energy.steps, energy.seconds, 100 * busy, watts);

  EXPECT_GE(energy.seconds, metering_seconds);
  EXPECT_GE(energy.steps, 10);
  EXPECT_GT(energy.error, 0);
  EXPECT_LT(energy.error, 0.05);
  EXPECT_GT(busy, 0.97) << "what the device takes while it waits would count as the kernel's";
  EXPECT_LT(busy, 1.03);
  EXPECT_GT(watts, 50) << "less than such a device takes when idle";
  EXPECT_LT(watts, 1.1 * cuda::ask_nvml(device().info().uuid).power_limit_mw.value_or(0) * 1e-3)
      << "more than it may take";
}

}  // namespace
}  // namespace attune::test
