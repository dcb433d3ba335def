// Reads the text of a file that may be compressed: .xz, .gz or plain. The first bytes of the file decide, not its name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace attune {

// How much text may be read from one file, in bytes. A few compressed bytes may become any number, so compressed files
// have a limit of their own: `decompressed`, or `most_ratio` times the size of the file if that is more. Recordings
// compress to a twentieth.
struct TextLimits {
  std::size_t plain = std::size_t{2} << 30;  // limits compressed files too
  std::size_t decompressed = std::size_t{256} << 20;
  std::size_t most_ratio = 50;
};

// Returns the text of a file, decompressed. Throws UsageError naming the file when it is missing, not a regular file,
// unreadable, damaged or truncated, when other data follow its end, or when it exceeds the limits.
std::string read_text(const std::filesystem::path& file, TextLimits limits = {});

// Throws UsageError for anything but a regular file, because opening a pipe would wait for its writer.
void check_regular_file(const std::filesystem::path& file);

}  // namespace attune
