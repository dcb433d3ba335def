// NvrtcTarget: what an NVRTC makes for a device: machine code, or PTX for a device that is newer than this NVRTC. The
// PTX is of the newest architecture before the device's, and the driver compiles it when it is loaded.
#pragma once

#include <string>

#include "attune/error.hpp"
#include "device/cuda/nvrtc_library.hpp"

namespace attune::cuda {

struct NvrtcTarget {
  std::string architecture;  // "sm_90", "sm_90a"; "compute_90" for PTX
  std::string toolchain;     // "NVRTC 13.0"; "NVRTC 13.0, PTX for compute_90"
  bool is_ptx() const { return architecture.starts_with("compute_"); }
};

// This NVRTC can make nothing for an architecture. The message has the next step.
class UnknownArchitecture : public Error {
 public:
  using Error::Error;
};
// Returns the target for a device's architecture, "sm_90" or "sm_90a". Throws UnknownArchitecture for text that is no
// architecture or one too old for this NVRTC. It also throws for "sm_120a" if this NVRTC lacks 120, because PTX of
// another architecture lacks the features of "sm_120a".
NvrtcTarget nvrtc_target(const NvrtcLibrary& library, const std::string& architecture);

}  // namespace attune::cuda
