// PchFolder: where this process's precompiled headers lie: a folder of its own, 0700, removed with what it holds. Those
// that killed processes left behind, 100 MB and more each, are removed when the next one is made. Used by one thread at
// a time.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace attune::cuda {

class PchFolder {
 public:
  // In `parent`, as a rule the folder for temporary files. Throws Error when it cannot be made.
  explicit PchFolder(const std::filesystem::path& parent);
  ~PchFolder();
  PchFolder(const PchFolder&) = delete;
  PchFolder& operator=(const PchFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
  int lock_ = -1;  // held as long as the process lives, however it ends
  pid_t owner_;    // a forked child removes nothing
};

}  // namespace attune::cuda
