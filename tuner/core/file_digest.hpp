// Digests of files, for images that were compiled with them. A process reads a file again only if it has changed, or
// had changed within the seconds before it was read. Any thread. The functions throw only std::bad_alloc.
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

// Larger files are not taken for headers and have no digest.
constexpr std::uint64_t max_digested_bytes = std::uint64_t{64} << 20;

// Returns the digest of a file. Returns nothing if it is not a regular file, cannot be read, or is larger than
// max_digested_bytes.
std::optional<FileDigest> file_digest(const std::string& path);

// Returns whether all these files are unchanged: the same bytes, or still absent. If together they exceed
// max_digested_bytes, they count as changed. For an empty list it makes no system call.
bool are_unchanged(const std::vector<ImageFile>& files);

}  // namespace attune
