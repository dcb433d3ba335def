// One compile by a given NVRTC. make_nvrtc_compiler() uses the one of this process.
#pragma once

#include <string>

#include "core/image.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::cuda {

// `architecture` is the device's, "sm_90"; the request's, if it has one, takes precedence. A failed compile is a value.
// Throws Error when the NVRTC itself is broken. Thread-safe.
CompileOutcome compile_with(const NvrtcLibrary& library, const ImageRequest& request, const std::string& architecture);

}  // namespace attune::cuda
