// The CUDA toolkit's include folder, for cuda_fp16.h and cuda_bf16.h: found, never shipped. What a
// source asks of it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "attune/source_text.hpp"

namespace attune::cuda {

// Returns its possible places, best first. First come places beside this NVRTC, for equal versions, in a toolkit's or
// pip's layout. Then come $CUDA_HOME, $CUDA_PATH, /usr/local/cuda and /usr/include.
std::vector<std::filesystem::path> toolkit_include_folders(const std::filesystem::path& nvrtc_file);

// Returns the first folder that has this header.
std::optional<std::filesystem::path> find_toolkit_header(const std::vector<std::filesystem::path>& folders,
                                                         const std::string& header);

// Returns the names in #include <...>, of the source and its headers, each once. Text under #if counts.
std::vector<std::string> angle_includes(const SourceText& source);

}  // namespace attune::cuda
