// The declaration of one kernel.
#pragma once

#include <optional>
#include <string>

#include "draft/code_tokens.hpp"
#include "draft/cuda_file.hpp"

namespace attune::draft {

// Reads what stands before the body of a function with `__global__`. `scope`: "image::", or "". Returns nothing for
// what is no kernel of its own: a specialisation, or a text that cannot be read.
std::optional<Kernel> read_declaration(Part declaration, const std::string& scope);

}  // namespace attune::draft
