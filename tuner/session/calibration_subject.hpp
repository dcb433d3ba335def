// CalibrationSubject: a kernel by which a device is calibrated, with a problem that fits the device and all its
// configurations.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "attune/device_info.hpp"
#include "attune/kernel_spec.hpp"
#include "core/verdict.hpp"
#include "subject/kernel_subject.hpp"
#include "worker/pool.hpp"

namespace attune {

struct CalibrationSubject {
  std::unique_ptr<const KernelSubject> kernel;
  std::vector<Configuration> configurations;
  std::vector<Image> images;  // one per configuration, once they are compiled
};

// Returns the bytes of one array of the kernels that measure memory: 16 times the L2 cache, rounded up to a power of
// two, but at most a 16th of the memory. The copy has four arrays, including those that it is checked against, which
// take a quarter of the memory.
std::uint64_t calibration_bytes(const DeviceInfo& device);

// Returns the subject for the kernel with this name. `type` is the problem's T, or "" if the problem has none. Throws
// Error if `kernels` lacks the kernel.
CalibrationSubject calibration_subject(std::span<const KernelSpec> kernels, std::string_view kernel,
                                       std::string_view type, const DeviceInfo& device);

// Compiles all configurations beforehand, so that nothing compiles while something is timed. Returns early once `stop`
// is not 0. Throws Error.
void compile_all(std::span<CalibrationSubject> subjects, Pool& pool, const DeviceInfo& device,
                 const std::atomic<int>& stop);

// Throws Error saying which configuration of which kernel fails, and how.
[[noreturn]] void fail_calibration(const CalibrationSubject& subject, const Configuration& configuration,
                                   const DeviceInfo& device, const Status& status);

}  // namespace attune
