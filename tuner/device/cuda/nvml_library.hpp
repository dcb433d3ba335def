// Finding and loading NVML. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "device/cuda/nvml_api.hpp"

namespace attune::cuda {

// What ATTUNE_NVML says: "", "none", a library or the folder of one. Ignored in a set-user-id process.
std::string nvml_setting();

// Null where there is no NVML, or one that lacks a function that must be there. Throws Error when the setting names a
// library that is none. What is loaded is never unloaded.
std::unique_ptr<const NvmlApi> load_nvml(const std::string& setting);

// The library of this process, loaded by its setting at the first call; null when there is none. Throws as above.
const NvmlApi* nvml();

}  // namespace attune::cuda
