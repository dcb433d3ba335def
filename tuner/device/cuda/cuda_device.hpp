// The `cuda` device: the CUDA driver, NVRTC and NVML, each loaded at run time on first use. Linking and starting need
// no toolkit, driver or GPU. Thread-safe. For users: docs/cuda_device.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.hpp"

namespace attune {

namespace cuda {
class CudaContext;
}

// Without an ordinal, opens the current context of the calling thread, else the primary context of device 0. With one,
// opens the current context if it is on that device, else the device's primary one. Throws Error when no driver
// answers, UsageError when there is no such device.
std::unique_ptr<Device> open_cuda_device(std::optional<int> ordinal);

// Returns the context of a device that open_cuda_device() opened. Throws Error for another device.
std::shared_ptr<const cuda::CudaContext> context_of(const Device& device);

// Returns a compiler of cubins for "sm_90" and the like. It needs no driver. It loads NVRTC at the first compile() or
// toolchain() or target().
std::shared_ptr<Compiler> make_nvrtc_compiler(std::string architecture, HeavyHeaders headers = HeavyHeaders::parse);

// Returns whether there is a driver with at least one device. `why_not` receives the reason otherwise.
bool cuda_driver_answers(std::string& why_not) noexcept;

// Returns all devices, without making a context on any. Empty without a driver.
std::vector<DeviceInfo> cuda_devices();

// Returns whether a name has the form of a UUID, of a board or of a part of one.
inline bool is_uuid(std::string_view name) { return name.starts_with("GPU-") || name.starts_with("MIG-"); }

// Returns the number of the device with this UUID; nothing where this process sees none.
std::optional<int> cuda_ordinal(std::string_view uuid);

// Returns "NVRTC 13.0"; nothing without NVRTC. Loads it.
std::optional<std::string> nvrtc_version();

// Returns "580.95.05 (CUDA 13.0)"; nothing without a driver that answers.
std::optional<std::string> driver_version_text();

}  // namespace attune
