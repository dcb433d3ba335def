// NvrtcTarget: what an NVRTC is asked to make for a device: its machine code, or, for one that is newer than this
// NVRTC, PTX of the newest architecture before it that the NVRTC knows, which the driver compiles when it is loaded.
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

// `architecture`: that of the device, "sm_90" or "sm_90a". Throws UnknownArchitecture, which says what to do, for what
// is none, for one that is older than all that the NVRTC knows, and for "sm_120a" where it does not know 120: what a
// kernel asks for by such a name is in no PTX of another.
class UnknownArchitecture : public Error {
 public:
  using Error::Error;
};
NvrtcTarget nvrtc_target(const NvrtcLibrary& library, const std::string& architecture);

}  // namespace attune::cuda
