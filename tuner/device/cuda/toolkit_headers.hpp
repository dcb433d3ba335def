// The CUDA toolkit's include folder, for cuda_fp16.h and cuda_bf16.h: found, never shipped.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace attune::cuda {

// Where it may be, best first: beside this NVRTC (so that the two are of one version; a toolkit's or pip's layout), in
// $CUDA_HOME, $CUDA_PATH, /usr/local/cuda, /usr/include.
std::vector<std::filesystem::path> toolkit_include_folders(const std::filesystem::path& nvrtc_file);

// The first of them that has this header.
std::optional<std::filesystem::path> find_toolkit_header(const std::vector<std::filesystem::path>& folders,
                                                         const std::string& header);

}  // namespace attune::cuda
