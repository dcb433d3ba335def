// Finds the CUDA driver. It is loaded at the first call and initialised when a device is opened. It is never unloaded:
// its own exit handlers need it.
#pragma once

#include <string>

#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// `api` is null when no driver answers; `why_not` then has the reason and the next step.
struct DriverLoad {
  const DriverApi* api = nullptr;
  std::string why_not;
};

// Loads `library` and resolves every symbol; calls only cuDriverGetVersion. Each success leaks a DriverApi on purpose:
// it lives as long as the process.
DriverLoad load_driver(const char* library);

// Returns the message of a driver of a version (11030) that lacks a function of a later one.
std::string lacks(int version, const char* function, int since);

// Returns the driver of this process (libcuda.so.1), loaded once. Thread-safe.
const DriverLoad& driver_load();

// Returns the driver after cuInit, with at least one device. Thread-safe.
const DriverLoad& ready_driver();

// Returns ready_driver().api; throws Error with its reason otherwise.
const DriverApi& require_driver();

// Returns the driver's CUDA version (13000), or 0 without a driver. Never initialises it.
int driver_cuda_version();

}  // namespace attune::cuda
