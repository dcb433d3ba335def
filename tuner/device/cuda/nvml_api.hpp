// What attune uses of NVML, the management library: its own declarations; a test holds them against nvml.h where that
// exists. NVML is optional: without it the power limit is unknown, and nothing else changes.
#pragma once

struct nvmlDevice_st;

namespace attune::cuda {

using NvmlResult = int;               // nvmlReturn_t
using NvmlDevice = ::nvmlDevice_st*;  // nvmlDevice_t
inline constexpr NvmlResult nvml_success = 0;
inline constexpr unsigned nvml_text_bytes = 96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE, the longest text that is asked for

// F(member, function, exported name, parameters...)
#define ATTUNE_NVML_FUNCTIONS(F)                                                                      \
  F(init, nvmlInit, "nvmlInit_v2", void)                                                              \
  F(shutdown, nvmlShutdown, "nvmlShutdown", void)                                                     \
  F(driver_version, nvmlSystemGetDriverVersion, "nvmlSystemGetDriverVersion", char*, unsigned)        \
  F(device_by_uuid, nvmlDeviceGetHandleByUUID, "nvmlDeviceGetHandleByUUID", const char*, NvmlDevice*) \
  F(device_name, nvmlDeviceGetName, "nvmlDeviceGetName", NvmlDevice, char*, unsigned)                 \
  F(power_limit, nvmlDeviceGetPowerManagementLimit, "nvmlDeviceGetPowerManagementLimit", NvmlDevice, unsigned*)

// Since NVML 11.4 alone (driver 510), so not among those that must be there.
struct NvmlProcess {
  unsigned pid;
  unsigned long long used_bytes;
  unsigned instance, compute_instance;  // MIG
};
inline constexpr const char* nvml_processes_symbol = "nvmlDeviceGetComputeRunningProcesses_v3";
using NvmlProcessesFunction = NvmlResult (*)(NvmlDevice, unsigned* count, NvmlProcess* processes);

struct NvmlApi {
#define ATTUNE_MEMBER(member, function, exported, ...) NvmlResult (*member)(__VA_ARGS__) = nullptr;
  ATTUNE_NVML_FUNCTIONS(ATTUNE_MEMBER)
#undef ATTUNE_MEMBER
};

}  // namespace attune::cuda
