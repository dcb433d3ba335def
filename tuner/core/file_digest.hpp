// Digests of files, for images that were compiled with them. A file that does not change is read once in a process.
// Any thread. No function throws anything but std::bad_alloc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/image.hpp"

namespace attune {

struct FileDigest {
  std::string sha256;       // of the bytes, 64 hexadecimal digits
  std::uint64_t bytes = 0;  // of the file
};

// Files beyond this are no headers: they have no digest.
constexpr std::uint64_t max_digested_bytes = std::uint64_t{64} << 20;

// Returns nothing when there is no regular file that can be read, or when it is larger than max_digested_bytes.
std::optional<FileDigest> file_digest(const std::string& path);

// Returns whether all are as they were: the same bytes, or no file. Files of more than max_digested_bytes together
// count as changed. Without files it asks the system for nothing.
bool are_unchanged(const std::vector<ImageFile>& files);

}  // namespace attune
