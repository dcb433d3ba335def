// What a result of the driver means: in words, as the Status of an operation, as an exception. Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "core/verdict.hpp"
#include "device/cuda/driver_api.hpp"

namespace attune::cuda {

// "CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered".
std::string result_text(const DriverApi& api, Result result);

// The same for results of cuInit and cuDeviceGetCount, with what to do about it.
std::string explain_driver_failure(const DriverApi& api, Result result);

// 13000 -> "13.0".
std::string version_text(int cuda_version);

// ok for success. `doing` says what failed: "launch of grid 1 x 1 x 1".
Status status_of(const DriverApi& api, Result result, std::string_view doing);

// Throws OutOfMemory or Error unless the result is a success. Message: "<doing> failed: <result>; <next step>".
void check(const DriverApi& api, Result result, std::string_view doing);

}  // namespace attune::cuda
