// One compile by one NVRTC, whichever it is: what make_nvrtc_compiler() does with the one of this process.
#pragma once

#include <string>

#include "core/image.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::cuda {

// `architecture`: that of the device, "sm_90"; where the request names one, that is taken. What does not compile is a
// value. Throws Error when the NVRTC itself is broken. Thread-safe.
CompileOutcome compile_with(const NvrtcLibrary& library, const ImageRequest& request, const std::string& architecture);

}  // namespace attune::cuda
