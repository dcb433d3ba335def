// The key under which a compiled image is cached.
#pragma once

#include <string>

#include "core/image.hpp"
#include "core/source_key.hpp"

namespace attune {

// Returns 64 hexadecimal digits: a digest of the request, but for the name of its source, and of all that the compiler
// for its architecture adds by itself: attune's headers, the host's part of CUDA, options. So another version of attune
// compiles anew what it would compile otherwise. It loads and runs no compiler. Thread-safe.
std::string image_key(const ImageRequest& request);

// Returns what makes such keys of many requests of one source, for that architecture or any other of its kind.
SourceKey source_key(const std::string& architecture, const SourceText& source);

}  // namespace attune
