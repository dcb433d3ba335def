// Opens files that users name: sources, headers, libraries, logs. Only regular files: whoever opens a pipe waits for a
// writer, and a device has no end. No function waits.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <string>

namespace attune {

// Returns a descriptor to read from, with the file's status; -1, with errno, where there is none. errno is EINVAL for
// what is no regular file.
int open_regular(const char* path, struct stat& status) noexcept;

struct FileText {
  std::string text;
  std::string why;  // it cannot be read: "it is no regular file"; "" when it was read
};
// Reads at most `most` bytes, whatever size the file claims: a larger one cannot be read.
FileText read_regular_file(const std::filesystem::path& file, std::uint64_t most);

}  // namespace attune
