// The text of a kernel file for a CUDA file: front matter to start from, and an #include. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "draft/cuda_file.hpp"

namespace attune::draft {

// Returns the kernel of this name, qualified or not; without a name the one that is launched first, or the only one.
// Throws UsageError, which lists the names or suggests the nearest one. `shown` names the file in messages.
const KernelFunction& chosen_kernel(const CudaFile& file, const std::optional<std::string>& name,
                                    const std::string& shown);

// Returns the kernel file. `include`: how it names the CUDA file in its #include. Throws UsageError if that cannot
// stand in an #include.
std::string drafted(const CudaFile& file, const KernelFunction& kernel, const std::string& include);

// A line that a person has to look at.
struct Mark {
  std::size_t line;  // from 1
  std::string text;  // "grid: CHECK: why", "FILL IN: what"
};
std::vector<Mark> marks_in(std::string_view drafted);

}  // namespace attune::draft
