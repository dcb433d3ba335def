// The text of a file that may be compressed: .xz, .gz or plain, told apart by its first bytes, whatever its name is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace attune {

constexpr std::size_t max_text_bytes = std::size_t{2} << 30;  // decompressed; a recording of a large space has 0.5 GiB

// Throws UsageError naming the file when it is missing, unreadable, damaged, cut off inside its compression, or has
// more than `most` bytes of text.
std::string read_text(const std::filesystem::path& file, std::size_t most = max_text_bytes);

}  // namespace attune
