// NvrtcLibrary: a loaded NVRTC, the newest installed one whose code the driver can run. It is loaded at the first use
// and never unloaded. Unless its companion library lies beside it, it is tried with a one-line kernel. Once loaded it
// is read-only, and any thread may use it.
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
  std::filesystem::path file;      // its place, links resolved
  std::vector<int> architectures;  // those that it compiles for: 75, 80, ...
  std::string name() const;        // "NVRTC 13.0"
};

// Where to look, and which versions to accept.
struct NvrtcSearch {
  std::string setting;                         // ATTUNE_NVRTC: "", "none", a library or its folder
  std::vector<std::filesystem::path> folders;  // in order; then the loader's own path
  int driver_cuda_version = 0;                 // 13000; 0: no driver, so every version is accepted
  // The first folder is the executable's. It and its NVRTC must belong to this user or to root, and others must not be
  // able to write them.
  bool begins_at_executable = false;
};

// Returns the search by the environment, the executable's place and the driver.
NvrtcSearch nvrtc_search();

// Returns the files to try: newest major version first, and for each the folders in order. Versions newer than the
// driver are left out: a driver refuses the cubins of a later major version.
std::vector<std::string> nvrtc_candidates(const NvrtcSearch& search);

// Returns the first candidate that works. If none does, throws Error with the places searched, the defects of the files
// found, and what to install.
NvrtcLibrary load_nvrtc(const NvrtcSearch& search);

// Returns load_nvrtc(nvrtc_search()), once per process; after a failure the next call tries again. Thread-safe.
const NvrtcLibrary& nvrtc();

}  // namespace attune::cuda
