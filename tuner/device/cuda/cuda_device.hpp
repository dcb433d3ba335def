// The `cuda` device: the CUDA driver, NVRTC and NVML, each loaded at run time and only when asked for. Nothing here
// needs a toolkit, a driver or a GPU to be linked or started. Thread-safe. docs/cuda_device.md tells users what is
// looked for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "device/device.hpp"

namespace attune {

// No ordinal: the current context of the calling thread if there is one, else the primary context of device 0. With
// one: the current context if it is on that device, else that device's primary one. Throws Error when no driver
// answers, UsageError when there is no such device.
std::unique_ptr<Device> open_cuda_device(std::optional<int> ordinal);

// Compiles to cubins for "sm_90" and the like. Needs no driver; NVRTC is loaded at the first compile() or toolchain().
std::shared_ptr<Compiler> make_nvrtc_compiler(std::string architecture);

// Is there a driver with at least one device? `why_not` says what is missing otherwise.
bool cuda_driver_answers(std::string& why_not) noexcept;

// All devices, without making a context on any. Empty without a driver.
std::vector<DeviceInfo> cuda_devices();

// "NVRTC 13.0"; nothing without one. Loads it.
std::optional<std::string> nvrtc_version();

// "580.95.05 (CUDA 13.0)"; nothing without a driver that answers.
std::optional<std::string> driver_version_text();

}  // namespace attune
