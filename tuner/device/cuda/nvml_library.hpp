// Finds and loads NVML. Thread-safe.
#pragma once

#include <memory>
#include <string>

#include "device/cuda/nvml_api.hpp"

namespace attune::cuda {

// Returns the value of ATTUNE_NVML: "", "none", a library or its folder. A set-user-id process ignores the variable.
std::string nvml_setting();

// Returns null without NVML, or if NVML lacks a necessary function. Throws Error instead when the
// setting names a library or folder. A loaded library is never unloaded.
std::unique_ptr<const NvmlApi> load_nvml(const std::string& setting);

// Returns the library of this process, loaded by its setting at the first call; null when there is none. Throws as
// load_nvml() does.
const NvmlApi* nvml();

}  // namespace attune::cuda
