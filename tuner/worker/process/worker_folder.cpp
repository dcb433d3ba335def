#include "worker/process/worker_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <cerrno>
#include <mutex>
#include <random>
#include <string>
#include <system_error>

#include "attune/error.hpp"
#include "base/system_failure.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

constexpr mode_t folder_mode = 0700;

// Several passes are made, because a file that another thread adds meanwhile makes a pass fail.
constexpr int removal_passes = 10;

[[noreturn]] void refuse_folder(const std::string& place, const std::string& reason) {
  throw Error(
      fmt::format("cannot make a folder for temporary files in {}: {}; name another place with TMPDIR", place, reason));
}

fs::path folder_for_temporary_files() {
  const char* const named = getenv("TMPDIR");
  if (named != nullptr && *named == '\0') return "/tmp";
  std::error_code failed;
  const fs::path folder = fs::temp_directory_path(failed);
  if (!failed) return fs::absolute(folder);
  refuse_folder(named != nullptr ? named : "/tmp", failed.message());
}

fs::path make_folder() {
  if (const char* const named = getenv("TMPDIR"); named != nullptr && *named != '\0') {
    const fs::path folder = fs::absolute(named);
    if (mkdir(folder.c_str(), folder_mode) == 0) return folder;
    const int error = errno;  // some systems answer EACCES or EROFS for an existing folder
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown)) refuse_folder(folder.parent_path().string(), system_failure(error));
  }
  const fs::path parent = folder_for_temporary_files();
  std::string name = (parent / "attune-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) refuse_folder(parent.string(), system_failure(errno));
  return name;
}

}  // namespace

WorkerFolder::WorkerFolder() : path_(make_folder()) { setenv("TMPDIR", path_.c_str(), 1); }

WorkerFolder::~WorkerFolder() { remove_worker_folder(path_); }

WorkerFolderName::WorkerFolderName() {
  std::random_device random;
  path_ = folder_for_temporary_files() / fmt::format("attune-{:08x}{:08x}{:08x}", random(), random(), random());
}

WorkerFolderName::~WorkerFolderName() { remove_worker_folder(path_); }

void remove_worker_folder(const fs::path& folder) noexcept {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  std::error_code failed;
  for (int pass = 0; pass < removal_passes; ++pass) {
    fs::remove_all(folder, failed);
    if (!failed) return;
  }
}

}  // namespace attune
