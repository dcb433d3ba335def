// Prints what ATTUNE_NVML says to this process, and which planted folders of headers it would look into.
#include <cstdio>

#include "device/cuda/nvml_library.hpp"
#include "device/cuda/toolkit_headers.hpp"

int main() {
  std::printf("[%s]", attune::cuda::nvml_setting().c_str());
  for (const auto& folder : attune::cuda::toolkit_include_folders("/usr/lib/libnvrtc.so"))
    if (folder.native().starts_with("/planted")) std::printf("[%s]", folder.c_str());
  std::printf("\n");
}
