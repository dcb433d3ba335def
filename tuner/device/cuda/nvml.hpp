// Questions to NVML, which may be absent: every answer may be missing. Thread-safe. If ATTUNE_NVML names anything
// but NVML or `none`, the first question throws Error.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device/cuda/nvml_library.hpp"
#include "device/device_state.hpp"

namespace attune::cuda {

struct NvmlAnswers {
  std::optional<std::string> driver_version;  // "580.95.05"
  std::optional<std::string> device_name;     // of the requested device; MIG devices end in " MIG 1g.10gb"
  std::optional<int> power_limit_mw;
};

// Queries the device with this UUID ("GPU-..." or "MIG-...").
NvmlAnswers ask_nvml(const std::string& uuid);

// NvmlView: one device, for repeated questions. From the first question until it is destroyed it keeps NVML
// initialised, and the device that it found. For a part of a partitioned device it returns what NVML has for parts.
class NvmlView {
 public:
  explicit NvmlView(std::string uuid, const NvmlApi* api = nvml()) : uuid_(std::move(uuid)), api_(api) {}
  NvmlView(const NvmlView&) = delete;
  NvmlView& operator=(const NvmlView&) = delete;
  ~NvmlView();

  // Returns the present state; empty when NVML does not find the device.
  DeviceState state();

  // Returns other processes with a context on the device, but those that started this one, which wait for it:
  // "python3 (4711)", or another user's "python3 of user 1001 (4711)". Empty where NVML does not list them.
  std::vector<std::string> other_processes();

 private:
  NvmlDevice device();  // null when NVML does not find it

  const std::string uuid_;
  const NvmlApi* const api_;
  std::once_flag asked_;
  NvmlDevice device_ = nullptr;
};

}  // namespace attune::cuda
