// The text of a file that may be compressed: .xz, .gz or plain. Its first bytes decide, not its name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace attune {

// How much text is read of one file. A few compressed bytes may become any number, so compressed files have their own
// limit. It is `decompressed`, or `most_ratio` times the file where that is more. Recordings compress to a twentieth.
struct TextLimits {
  std::size_t plain = std::size_t{2} << 30;  // also the limit of compressed files
  std::size_t decompressed = std::size_t{256} << 20;
  std::size_t most_ratio = 50;
};

// Throws UsageError naming the file when it is missing, no regular file, unreadable or damaged. Throws it also when the
// file is truncated, has other data after its end, or exceeds the limits.
std::string read_text(const std::filesystem::path& file, TextLimits limits = {});

// Throws UsageError for anything but a regular file: opening a pipe would wait for its writer.
void check_regular_file(const std::filesystem::path& file);

}  // namespace attune
