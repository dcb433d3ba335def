// Finds the CUDA toolkit's include folder, for its cuda_fp16.h and cuda_bf16.h. attune does not ship this folder. Also
// lists the headers that a source includes from outside.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "attune/source_text.hpp"

namespace attune::cuda {

// Returns the folder's possible places, best first. Places beside this NVRTC, in the layout of a toolkit or of pip,
// come first, because their version is the same. Then come $CUDA_HOME, $CUDA_PATH, /usr/local/cuda and /usr/include.
std::vector<std::filesystem::path> toolkit_include_folders(const std::filesystem::path& nvrtc_file);

// Returns the folders of the toolkit whose cuda_fp16.h is in `folder`: this one, and those of CUB, Thrust and libcu++,
// and in pip's CUDA 12 that of the compiler's own headers. Some may be absent.
std::vector<std::filesystem::path> folders_of_toolkit(const std::filesystem::path& folder);

// Returns the first folder that has this header.
std::optional<std::filesystem::path> find_toolkit_header(const std::vector<std::filesystem::path>& folders,
                                                         const std::string& header);

// Returns the names that the source and its headers include and that are none of these headers, each once. An #include
// under #if counts whatever the condition.
std::vector<std::string> outside_includes(const SourceText& source);

}  // namespace attune::cuda
