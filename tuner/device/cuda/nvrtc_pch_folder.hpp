// PchFolder: the folder of this process's precompiled headers. It has mode 0700, and the destructor removes it with its
// content. The constructor also removes the folders of killed processes, which have 100 MB and more each. Used by one
// thread at a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace attune::cuda {

class PchFolder {
 public:
  // Makes the folder in `parent`, usually the folder for temporary files. Throws Error when that fails.
  explicit PchFolder(const std::filesystem::path& parent);
  ~PchFolder();
  PchFolder(const PchFolder&) = delete;
  PchFolder& operator=(const PchFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held as long as the process lives
  pid_t owner_;    // a forked child removes nothing
};

}  // namespace attune::cuda
