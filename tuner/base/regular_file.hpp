// Opens files that users name: sources, headers, libraries, logs. Only regular files are opened, because opening a pipe
// waits for a writer, and a device has no end. No function waits.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace attune {

// Returns a descriptor to read from, and sets `status` to the file's status. On failure returns -1 and sets errno;
// errno is EISDIR for a folder, and EINVAL for any other file that is not regular.
int open_regular(const char* path, struct stat& status) noexcept;

struct FileText {
  std::string text;
  std::string why;  // why it cannot be read: "it is no regular file"; "": it was read
};
// Reads a file of at most `most` bytes, whatever size it claims. A larger file cannot be read.
FileText read_regular_file(const std::filesystem::path& file, std::uint64_t most);

}  // namespace attune
