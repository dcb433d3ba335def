// OutputFile: the one way in which a command writes a file that its user named. No output destroys what it is made
// from, nor a file that attune keeps. Owned by one thread.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace attune {

class OutputFile {
 public:
  // Follows links, also to what is not there yet; "/dev/fd/3" is the open descriptor. Throws UsageError for a folder, a
  // disk, a read-only file, a wisdom database or its journals, and a compiled image of the cache.
  explicit OutputFile(std::string name);

  // Throws UsageError when the output is `input`, by whatever path or hard link. `what`: "the kernel file".
  void must_not_be(const std::filesystem::path& input, std::string_view what) const;
  // The same for a wisdom database that is in use, or will be made, and SQLite's files beside it.
  void must_not_be_wisdom(const std::filesystem::path& database) const;
  // The same for another output. Both may be one pipe or device.
  void must_not_be(const OutputFile& other) const;

  // Replaces a regular file at once: where anything fails, the old one stays. The new one has owner and mode of the old
  // one. What is no regular file, or is an open descriptor, is written directly. Throws Error.
  void write(std::string_view content) const;

 private:
  bool is_place() const;  // a regular file, or none yet
  std::string name_;      // as given, for messages
  std::filesystem::path path_;
  int descriptor_ = -1;  // of this process, that the name stands for
};

}  // namespace attune
