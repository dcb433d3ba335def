// NvrtcLibrary: a loaded NVRTC, chosen among those installed: the newest that the driver can still run the code of.
// Loaded at the first use, tried with a one-line kernel, never unloaded. Read-only afterwards, from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "device/cuda/nvrtc_api.hpp"

namespace attune::cuda {

struct NvrtcLibrary {
  NvrtcApi api;
  int major = 0;
  int minor = 0;
  std::filesystem::path file;      // where it was found, links resolved
  std::vector<int> architectures;  // that it compiles for: 75, 80, ...
  std::string name() const;        // "NVRTC 13.0"
};

// Where to look, and what to accept.
struct NvrtcSearch {
  std::string setting;                         // ATTUNE_NVRTC: "", "none", a library or the folder of one
  std::vector<std::filesystem::path> folders;  // in order; then the loader's own path
  int driver_cuda_version = 0;                 // 13000; 0: no driver, so every version will do
};

// From the environment, the executable's place and the driver.
NvrtcSearch nvrtc_search();

// The files to try, best first: newest major version first, and for each the folders in order. Those newer than the
// driver are left out, for a driver refuses the cubins of a later major version.
std::vector<std::string> nvrtc_candidates(const NvrtcSearch& search);

// Throws Error that says where was looked, what was wrong with what was found, and what to install.
NvrtcLibrary load_nvrtc(const NvrtcSearch& search);

// load_nvrtc(nvrtc_search()), once per process; a failure is tried again at the next call. Thread-safe.
const NvrtcLibrary& nvrtc();

}  // namespace attune::cuda
