// The headers of attune's own that lie beside every kernel that the host compiles, under the names by which kernels
// include them.
#pragma once

#include <span>

#include "base/embedded_file.hpp"

namespace attune {

// Returns the headers; a name may have a folder. Those of CUDA whose content is built in have no text to speak of.
std::span<const EmbeddedHeader> headers_beside();

}  // namespace attune
