// A libnvidia-ml of the tests' own: what it answers is set through fake_nvml(), which it exports beside NVML's names.
#pragma once

#include <cstddef>

namespace attune::test {

struct FakeNvml {
  // NVML's results; 0 is success.
  int init_result, clock_result, temperature_result, power_result, energy_result, throttle_result, processes_result;
  const char* uuid;  // of the one device that there is
  unsigned sm_clock, memory_clock, temperature, milliwatts;
  unsigned long long millijoules, throttle;
  const unsigned* pids;
  unsigned pid_count;
  // Counted.
  int initialised;  // init less shutdown
  int inits, look_ups;
};

}  // namespace attune::test

extern "C" attune::test::FakeNvml* fake_nvml();
