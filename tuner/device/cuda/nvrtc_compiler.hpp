// One compile by a given NVRTC, and a digest of what every compile adds to a request. make_nvrtc_compiler() uses the
// NVRTC of this process.
#pragma once

#include <string>

#include "core/image.hpp"
#include "device/cuda/nvrtc_library.hpp"
#include "device/device.hpp"

namespace attune::cuda {

// `architecture` is the device's, "sm_90"; the request's, if it has one, takes precedence. A failed compile is a value.
// Throws Error when the NVRTC itself is broken. Thread-safe.
CompileOutcome compile_with(const NvrtcLibrary& library, const ImageRequest& request, const std::string& architecture,
                            HeavyHeaders headers = HeavyHeaders::parse);

// Returns a digest of the texts and options that compile_with() adds to a request. It loads no NVRTC. Thread-safe.
const std::string& nvrtc_additions();

}  // namespace attune::cuda
