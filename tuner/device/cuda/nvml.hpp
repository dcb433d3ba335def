// Questions to NVML (libnvidia-ml.so.1), which may be absent: every answer may be missing. Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace attune::cuda {

struct NvmlAnswers {
  std::optional<std::string> driver_version;  // "580.95.05"
  std::optional<std::string> device_name;     // of the device asked for; MIG devices end in " MIG 1g.10gb"
  std::optional<int> power_limit_mw;
};

// Asks about the device with this UUID ("GPU-..." or "MIG-...").
NvmlAnswers ask_nvml(const std::string& uuid);

// Other processes with a context on the device, "python3 (4711)", as far as NVML tells: none where it does not.
std::vector<std::string> other_processes_on(const std::string& uuid);

}  // namespace attune::cuda
