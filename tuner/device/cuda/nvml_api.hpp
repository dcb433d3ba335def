// The part of NVML, the management library, that attune uses. A test compares the declarations with nvml.h where that
// exists. NVML is optional: without it the power limit and the device's state are unknown, and nothing else changes.
#pragma once

struct nvmlDevice_st;

namespace attune::cuda {

using NvmlResult = int;               // nvmlReturn_t
using NvmlDevice = ::nvmlDevice_st*;  // nvmlDevice_t
inline constexpr NvmlResult nvml_success = 0;
inline constexpr NvmlResult nvml_insufficient_size = 7;
inline constexpr unsigned nvml_text_bytes = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE, the longest text that is read

using NvmlClock = int;  // nvmlClockType_t
inline constexpr NvmlClock nvml_clock_sm = 1;
inline constexpr NvmlClock nvml_clock_memory = 2;
using NvmlSensor = int;  // nvmlTemperatureSensors_t
inline constexpr NvmlSensor nvml_sensor_gpu = 0;

struct NvmlProcess {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long used_bytes;
  unsigned instance, compute_instance;  // MIG
};

// F(member, function, exported name, parameters...)
#define ATTUNE_NVML_FUNCTIONS(F)                                                                      \
  F(init, nvmlInit, "nvmlInit_v2", void)                                                              \
  F(shutdown, nvmlShutdown, "nvmlShutdown", void)                                                     \
  F(driver_version, nvmlSystemGetDriverVersion, "nvmlSystemGetDriverVersion", char*, unsigned)        \
  F(device_by_uuid, nvmlDeviceGetHandleByUUID, "nvmlDeviceGetHandleByUUID", const char*, NvmlDevice*) \
  F(device_name, nvmlDeviceGetName, "nvmlDeviceGetName", NvmlDevice, char*, unsigned)                 \
  F(power_limit, nvmlDeviceGetPowerManagementLimit, "nvmlDeviceGetPowerManagementLimit", NvmlDevice, unsigned*)

// Any of these may be null in an old or reduced library; then only the value that it returns is unknown. Watts and
// joules come in thousandths. Driver 535 renamed the reasons for a low clock. The list of processes exists since driver
// 510.
#define ATTUNE_NVML_OPTIONAL_FUNCTIONS(F)                                                                              \
  F(clock, nvmlDeviceGetClockInfo, "nvmlDeviceGetClockInfo", NvmlDevice, NvmlClock, unsigned*)                         \
  F(temperature, nvmlDeviceGetTemperature, "nvmlDeviceGetTemperature", NvmlDevice, NvmlSensor, unsigned*)              \
  F(power, nvmlDeviceGetPowerUsage, "nvmlDeviceGetPowerUsage", NvmlDevice, unsigned*)                                  \
  F(energy, nvmlDeviceGetTotalEnergyConsumption, "nvmlDeviceGetTotalEnergyConsumption", NvmlDevice,                    \
    unsigned long long*)                                                                                               \
  F(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons, "nvmlDeviceGetCurrentClocksThrottleReasons",          \
    NvmlDevice, unsigned long long*)                                                                                   \
  F(processes, nvmlDeviceGetComputeRunningProcesses, "nvmlDeviceGetComputeRunningProcesses_v3", NvmlDevice, unsigned*, \
    NvmlProcess*)                                                                                                      \
  ATTUNE_NVML_FUNCTIONS_12020(F)
#define ATTUNE_NVML_FUNCTIONS_12020(F)                                                                           \
  F(event_reasons, nvmlDeviceGetCurrentClocksEventReasons, "nvmlDeviceGetCurrentClocksEventReasons", NvmlDevice, \
    unsigned long long*)

struct NvmlApi {
#define ATTUNE_MEMBER(member, function, exported, ...) NvmlResult (*member)(__VA_ARGS__) = nullptr;
  ATTUNE_NVML_FUNCTIONS(ATTUNE_MEMBER)
  ATTUNE_NVML_OPTIONAL_FUNCTIONS(ATTUNE_MEMBER)
#undef ATTUNE_MEMBER
};

}  // namespace attune::cuda
