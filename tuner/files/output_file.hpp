// OutputFile: the only way in which a command writes a file that its user named. An output never destroys a file from
// which it is made, nor a file that attune keeps. Owned by one thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attune {

class OutputFile {
 public:
  // Follows links, even to files that do not exist yet; "/dev/fd/3" is the open descriptor. Throws UsageError for a
  // folder, a disk, a read-only file, a wisdom database or its journals, and a compiled image of the cache.
  explicit OutputFile(std::string name);

  // Throws UsageError when the output is `input`, by whatever path or hard link. `what`: "the kernel file".
  void must_not_be(const std::filesystem::path& input, std::string_view what) const;
  // Throws likewise when the output is a wisdom database that is in use or will be made, or one of SQLite's files
  // beside it.
  void must_not_be_wisdom(const std::filesystem::path& database) const;
  // Throws likewise when both outputs are the same file. Both may be the same pipe or device.
  void must_not_be(const OutputFile& other) const;

  // Replaces a regular file atomically: if anything fails, the old file stays. The new file has the owner and mode of
  // the old one. Anything but a regular file, and an open descriptor, is written directly. Throws Error.
  void write(std::string_view content) const;

 private:
  bool is_place() const;  // a regular file, or none yet
  std::string name_;      // as given, for messages
  std::filesystem::path path_;
  int descriptor_ = -1;  // the descriptor of this process that the name stands for, or -1
};

}  // namespace attune
