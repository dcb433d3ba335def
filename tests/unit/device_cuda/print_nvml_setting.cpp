// Prints what ATTUNE_NVML says to this process, which planted folders of headers it would look into, and whether it
// would take an NVRTC that lies beside it.
#include <cstdio>

#include "device/cuda/nvml_library.hpp"
#include "device/cuda/nvrtc_library.hpp"
#include "device/cuda/toolkit_headers.hpp"

int main() {
  std::printf("[%s]", attune::cuda::nvml_setting().c_str());
  for (const auto& folder : attune::cuda::toolkit_include_folders("/usr/lib/libnvrtc.so"))
    if (folder.native().starts_with("/planted")) std::printf("[%s]", folder.c_str());
  std::printf("%s\n", attune::cuda::nvrtc_search().begins_at_executable ? "[beside]" : "");
}
