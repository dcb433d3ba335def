// The text of a file that may be compressed: .xz, .gz or plain, told apart by its first bytes, whatever its name is.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace attune {

// How many bytes of text are read of one file. A few compressed bytes may stand for any number, so those have a limit
// of their own: `decompressed`, or `most_ratio` times the file where that is more. Recordings shrink to a twentieth.
struct TextLimits {
  std::size_t plain = std::size_t{2} << 30;  // of compressed ones too
  std::size_t decompressed = std::size_t{256} << 20;
  std::size_t most_ratio = 50;
};

// Throws UsageError naming the file when it is missing, no regular file, unreadable, damaged, cut off inside its
// compression, followed by something else, or has more text than is read.
std::string read_text(const std::filesystem::path& file, TextLimits limits = {});

// Throws UsageError for what is no regular file: opening a pipe would wait for its writer.
void check_regular_file(const std::filesystem::path& file);

}  // namespace attune
