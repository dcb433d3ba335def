// The declaration of one kernel, a launch, and what is set above it.
#pragma once

#include <optional>
#include <string>

#include "draft/code_tokens.hpp"
#include "draft/cuda_file.hpp"

namespace attune::draft {

// Reads what stands before the body of a function with `__global__`. `scope`: "image::", or "". Returns nothing for
// what is no kernel of its own: a specialisation, or a text that cannot be read.
std::optional<KernelFunction> read_declaration(TokenSpan declaration, const std::string& scope);

// Notes what is set at a token: `NAME = VALUE`, `dim3 NAME(...)`, `typedef TYPE NAME`, cudaMalloc(&NAME, BYTES). A
// variable that is changed is not known any more.
void note_definition(TokenSpan part, std::size_t at, Definitions& known);

// Returns the launch whose <<< is at a token, if one is.
std::optional<Launch> read_launch(TokenSpan part, std::size_t at, const Definitions& locals);

}  // namespace attune::draft
