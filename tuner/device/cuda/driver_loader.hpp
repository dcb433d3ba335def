// Finding the CUDA driver. Loaded at the first call, never unloaded (its own exit handlers must find it in place), and
// initialised no earlier than a device is asked for.
#pragma once

#include <string>

#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// `api` is null when there is no driver that answers; `why_not` then says what is missing and what to do.
struct DriverLoad {
  const DriverApi* api = nullptr;
  std::string why_not;
};

// Loads `library` and resolves every symbol; calls nothing but cuDriverGetVersion. Each success leaks a DriverApi on
// purpose: it lives as long as the process.
DriverLoad load_driver(const char* library);

// The driver of this process (libcuda.so.1): loaded once. Thread-safe.
const DriverLoad& driver_load();

// The same, with cuInit called and at least one device there. Thread-safe.
const DriverLoad& ready_driver();

// ready_driver().api; throws Error with its reason otherwise.
const DriverApi& require_driver();

// The driver's CUDA version (13000), or 0 without a driver. Never initialises it.
int driver_cuda_version();

}  // namespace attune::cuda
