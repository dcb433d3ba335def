// The ceilings of a real GPU against what it is known to be built for.
#include "session/calibration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <map>

#include "spec/kernel_file.hpp"
#include "support/gpu.hpp"

namespace attune::test {
namespace {

using GpuCalibration = GpuTest;

// Bytes per second: two transfers in each cycle of the memory's clock; 0 where the device does not tell it.
double built_for(Device& device) {
  const double clock_hz = open_instruments(device)->state().memory_clock_mhz.value_or(0) * 1e6;
  return 2 * clock_hz * device.info().memory_bus_bits / 8;
}

TEST_F(GpuCalibration, ReachesWhatTheDeviceIsBuiltFor) {
  LocalWorkers workers(device());
  Pool pool(workers);
  CalibrationRequest request;
  request.kernels = calibration_kernels();
  std::map<std::string, double> values;
  request.measured = [&](const Ceiling& ceiling) {
    values[ceiling.name] = ceiling.value;
    std::printf("%-16s %.4g %s  %s\n", ceiling.name.c_str(), ceiling.value, ceiling.unit.c_str(),
                ceiling.detail.c_str());
  };
  const std::atomic<int> never{0};
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(calibrate(request, pool, never).ceilings.size(), 7u);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  std::printf("in %.2f s on %s, built for %.4g B/s\n", taken.count(), device().info().name.c_str(),
              built_for(device()));

  if (const double bandwidth = built_for(device()); bandwidth > 0) {
    for (const char* const name : {"copy", "read"}) {
      EXPECT_GT(values[name], 0.5 * bandwidth) << name;
      EXPECT_LT(values[name], 1.05 * bandwidth) << name << ": more than there is: the caches were measured";
    }
  }
  EXPECT_GT(values["read"], 0.9 * values["copy"]);
  EXPECT_GT(values["fma float"], 1e12);
  EXPECT_GT(values["fma float"], 0.95 * values["fma double"]);
  EXPECT_GT(values["launch"], 500);
  EXPECT_LT(values["launch"], 50'000);
  EXPECT_LT(values["launch in batch"], values["launch"]) << "a batch hides nothing";
}

}  // namespace
}  // namespace attune::test
