// NvrtcTarget: what an NVRTC makes for a device: its machine code, or PTX. PTX is for a device newer than this NVRTC,
// of the newest earlier architecture. The driver compiles it when it is loaded.
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

// Throws UnknownArchitecture, with the next step, for text that is no architecture or is too old for this NVRTC. Throws
// it also for "sm_120a" without support for 120: PTX of another architecture lacks its features. `architecture` is the
// device's, "sm_90" or "sm_90a".
class UnknownArchitecture : public Error {
 public:
  using Error::Error;
};
NvrtcTarget nvrtc_target(const NvrtcLibrary& library, const std::string& architecture);

}  // namespace attune::cuda
