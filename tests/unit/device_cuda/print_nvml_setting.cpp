// Prints what ATTUNE_NVML says to this process.
#include <cstdio>

#include "device/cuda/nvml_library.hpp"

int main() { std::printf("[%s]\n", attune::cuda::nvml_setting().c_str()); }
