// Built three times: FAKE_NVML_NEW as drivers are now, FAKE_NVML_OLD with what those of 2017 had, FAKE_NVML_BARE with
// nothing that is optional.
#include "fake_nvml.hpp"

#include <cstdio>
#include <cstring>

#include "device/cuda/nvml_api.hpp"

namespace {

using attune::cuda::NvmlDevice;
using attune::cuda::NvmlProcess;

constexpr int not_found = 6, insufficient_size = 7, invalid_argument = 2;
attune::test::FakeNvml fake{};
char device_memory;

NvmlDevice the_device() { return reinterpret_cast<NvmlDevice>(&device_memory); }

int say(char* text, unsigned bytes, const char* what) {
  return std::snprintf(text, bytes, "%s", what) < static_cast<int>(bytes) ? 0 : insufficient_size;
}

// NVML writes nothing when it fails.
template <typename Value>
int tell(int result, NvmlDevice device, Value* value, Value what) {
  if (fake.initialised <= 0 || device != the_device() || value == nullptr) return invalid_argument;
  if (result == 0) *value = what;
  return result;
}

}  // namespace

extern "C" {

attune::test::FakeNvml* fake_nvml() { return &fake; }

int nvmlInit_v2() {
  ++fake.inits;
  if (fake.init_result == 0) ++fake.initialised;
  return fake.init_result;
}
int nvmlShutdown() {
  --fake.initialised;
  return 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned bytes) { return say(text, bytes, "999.1"); }
int nvmlDeviceGetHandleByUUID(const char* uuid, NvmlDevice* device) {
  ++fake.look_ups;
  if (fake.uuid == nullptr || std::strcmp(uuid, fake.uuid) != 0) return not_found;
  *device = the_device();
  return 0;
}
int nvmlDeviceGetName(NvmlDevice, char* text, unsigned bytes) { return say(text, bytes, "Fake GPU"); }
int nvmlDeviceGetPowerManagementLimit(NvmlDevice device, unsigned* milliwatts) {
  return tell(0, device, milliwatts, 700000u);
}

#if defined(FAKE_NVML_NEW) || defined(FAKE_NVML_OLD)
int nvmlDeviceGetClockInfo(NvmlDevice device, int clock, unsigned* megahertz) {
  const unsigned clocks[] = {1, fake.sm_clock, fake.memory_clock, 3};  // graphics, SM, memory, video
  return clock < 0 || clock > 3 ? invalid_argument : tell(fake.clock_result, device, megahertz, clocks[clock]);
}
int nvmlDeviceGetTemperature(NvmlDevice device, int sensor, unsigned* celsius) {
  return sensor != 0 ? invalid_argument : tell(fake.temperature_result, device, celsius, fake.temperature);
}
int nvmlDeviceGetPowerUsage(NvmlDevice device, unsigned* milliwatts) {
  return tell(fake.power_result, device, milliwatts, fake.milliwatts);
}
#endif
#ifdef FAKE_NVML_OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(NvmlDevice device, unsigned long long* reasons) {
  return tell(fake.throttle_result, device, reasons, fake.throttle);
}
#endif
#ifdef FAKE_NVML_NEW
int nvmlDeviceGetCurrentClocksEventReasons(NvmlDevice device, unsigned long long* reasons) {
  return tell(fake.throttle_result, device, reasons, fake.throttle);
}
int nvmlDeviceGetTotalEnergyConsumption(NvmlDevice device, unsigned long long* millijoules) {
  return tell(fake.energy_result, device, millijoules, fake.millijoules);
}
int nvmlDeviceGetComputeRunningProcesses_v3(NvmlDevice device, unsigned* count, NvmlProcess* processes) {
  const unsigned room = *count;
  if (const int result = tell(fake.processes_result, device, count, fake.pid_count); result != 0) return result;
  if (fake.pid_count > room) return insufficient_size;
  for (unsigned i = 0; i < fake.pid_count; ++i) processes[i] = {fake.pids[i], 1 << 20, ~0u, ~0u};
  return 0;
}
#endif
}
