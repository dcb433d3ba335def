// The key under which a compiled image is cached.
#pragma once

#include <string>

#include "core/image.hpp"
#include "core/source_key.hpp"

namespace attune {

// Returns 64 hexadecimal digits. They are a digest of the request without the name of its source, and of everything
// that the compiler for its architecture adds: attune's headers, the host's part of CUDA, options. A version of attune
// that adds something else therefore compiles anew. Loads and runs no compiler. Thread-safe.
std::string image_key(const ImageRequest& request);

// Returns an object that makes such keys for many requests of one source. They may be for this architecture or any
// other of its kind (host or CUDA). Thread-safe.
SourceKey source_key(const std::string& architecture, const SourceText& source);

}  // namespace attune
