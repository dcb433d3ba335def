// What files that were written for nvcc expect of a host and NVRTC lacks: names that nvcc's own headers declare in
// every file, headers of C and C++, and what the host's part of a program calls. Constant; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attune/source_text.hpp"
#include "base/embedded_file.hpp"
#include "core/image.hpp"

namespace attune::cuda {

// Returns attune's own texts, which every program of NVRTC gets in memory: attune.cuh and those that the functions
// below name.
std::span<const EmbeddedFile* const> own_texts();

// Returns the options that include texts ahead of the source, and of a request that ignores host code also the option
// that makes functions without annotations device code.
std::vector<std::string> options_ahead(const ImageRequest& request);

// Returns the headers that stand in for those of a host: `<cstdint>`, `<stdio.h>`, `<vector>`. They are for includes of
// which no file is found, so that a real header wins.
const std::vector<Header>& header_pack();

// Returns the headers that stand in for libraries of the host even where the real ones are found, because NVRTC does
// not take these: `cublas_v2.h`. None unless the request ignores host code.
const std::vector<Header>& library_headers(const ImageRequest& request);

}  // namespace attune::cuda
