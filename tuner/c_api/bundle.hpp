// Makes bundles from bytes and files of the application.
#pragma once

#include <cstddef>

#include "attune/bundle.hpp"

namespace attune::c_api {

// Throw UsageError for null, and Error if the content is not a bundle. bundle_from_memory() copies the bytes.
Bundle bundle_from_memory(const void* bytes, std::size_t size, const char* name);
Bundle bundle_from_path(const char* path);

}  // namespace attune::c_api
