// Bundles of bytes and files that the application has.
#pragma once

#include <cstddef>

#include "attune/bundle.hpp"

namespace attune::c_api {

// Copies the bytes. Throw UsageError for null, Error for what is no bundle.
Bundle bundle_from_memory(const void* bytes, std::size_t size, const char* name);
Bundle bundle_from_path(const char* path);

}  // namespace attune::c_api
