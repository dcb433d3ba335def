// Questions to NVML, which may be absent: every answer may be missing. Thread-safe. Where ATTUNE_NVML names what is no
// NVML, the first question throws Error.
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
  std::optional<std::string> device_name;     // of the device asked for; MIG devices end in " MIG 1g.10gb"
  std::optional<int> power_limit_mw;
};

// Asks about the device with this UUID ("GPU-..." or "MIG-...").
NvmlAnswers ask_nvml(const std::string& uuid);

// NvmlView: one device, to be asked again and again. From the first question on NVML stays initialised and the device
// found, until the view goes. The parts of a partitioned device tell what NVML tells of parts.
class NvmlView {
 public:
  explicit NvmlView(std::string uuid, const NvmlApi* api = nvml()) : uuid_(std::move(uuid)), api_(api) {}
  NvmlView(const NvmlView&) = delete;
  NvmlView& operator=(const NvmlView&) = delete;
  ~NvmlView();

  // What the device tells now; empty when NVML does not know it.
  DeviceState state();

  // Other processes with a context on the device, "python3 (4711)", another user's "python3 of user 1001 (4711)", as
  // far as NVML tells: none where it does not.
  std::vector<std::string> other_processes();

 private:
  NvmlDevice device();  // null when NVML does not know it

  const std::string uuid_;
  const NvmlApi* const api_;
  std::once_flag asked_;
  NvmlDevice device_ = nullptr;
};

}  // namespace attune::cuda
