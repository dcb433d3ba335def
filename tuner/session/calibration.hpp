// Calibration measures once what a device reaches at most and what measuring on it costs. Both are kept as the device's
// ceilings: docs/measuring.md#ceilings-and-overheads. Like a session, calibration compiles, checks and samples.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "attune/kernel_spec.hpp"
#include "base/waiting.hpp"
#include "core/ceiling.hpp"
#include "worker/pool.hpp"

namespace attune {

struct CalibrationRequest {
  std::vector<KernelSpec> kernels;    // calibration_kernels()
  std::filesystem::path lock_folder;  // of the device's lock; "": measures without taking turns
  std::function<void(const Ceiling&)> measured = [](const Ceiling&) {};  // called with each, as soon as it is known
  WaitNote note = {};                                                    // called while it waits for another tuner
};

struct CalibrationResult {
  std::vector<Ceiling> ceilings;  // in the order in which they were measured
  // What else used the device meanwhile, or held it back: "python3 (4711), hardware thermal slowdown". The ceilings may
  // then be too low. "": nothing was seen.
  std::string disturbed;
};

// Measures all ceilings of the pool's device. Returns no ceilings once `stop` is not 0. Throws Error when a kernel does
// not compile, gives a wrong result or cannot be timed.
CalibrationResult calibrate(const CalibrationRequest& request, Pool& pool, const std::atomic<int>& stop);

}  // namespace attune
