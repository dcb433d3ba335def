// The meaning of a driver's result: as text, as the Status of an operation, as an exception. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "core/verdict.hpp"
#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// Returns "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered".
std::string result_text(const DriverApi& api, DriverResult result);

// Returns the text for results of cuInit and cuDeviceGetCount, with the next step.
std::string explain_driver_failure(const DriverApi& api, DriverResult result);

// Returns "13.0" for 13000.
std::string version_text(int cuda_version);

// Returns ok for success. `doing` names what failed: "launch of grid 1 x 1 x 1".
Status status_of(const DriverApi& api, DriverResult result, std::string_view doing);

// Throws OutOfMemory, BrokenProcess or Error unless the result is a success. Message: "<doing> failed: <result>; <next
// step>".
void check(const DriverApi& api, DriverResult result, std::string_view doing);

}  // namespace attune::cuda
