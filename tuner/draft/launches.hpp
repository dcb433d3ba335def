// The launches in the body of a host function.
#pragma once

#include <vector>

#include "draft/code_tokens.hpp"
#include "draft/cuda_file.hpp"

namespace attune::draft {

// Returns the launches of a body in their order, each with the local variables that are set above it.
std::vector<Launch> read_launches(Part body);

}  // namespace attune::draft
