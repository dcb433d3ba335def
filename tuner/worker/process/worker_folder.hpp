// The folder for temporary files of a worker's process. The worker makes the folder, so that the worker may also remove
// it. The coordinator only chooses the name, and removes the folder of a worker that was killed.
#pragma once

#include <filesystem>

namespace attune {

// The worker's side. Construct it while the process has one thread: it sets TMPDIR.
class WorkerFolder {
 public:
  // Makes the folder that TMPDIR names if nothing is there, else a new folder below it; mode 0700. Sets TMPDIR to it.
  // Throws Error when no folder can be made.
  WorkerFolder();
  // Removes the folder with its content.
  ~WorkerFolder();
  WorkerFolder(const WorkerFolder&) = delete;
  WorkerFolder& operator=(const WorkerFolder&) = delete;
  // Returns the absolute path, which later changes of TMPDIR or of the working directory do not affect.
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// The coordinator's side: the value of TMPDIR for one worker. Nothing has this name until the worker makes the folder.
class WorkerFolderName {
 public:
  // Chooses a name that cannot be guessed, below this process's own folder for temporary files. Throws Error when there
  // is no such folder.
  WorkerFolderName();
  // Removes the worker's folder. The worker must have ended.
  ~WorkerFolderName();
  WorkerFolderName(const WorkerFolderName&) = delete;
  WorkerFolderName& operator=(const WorkerFolderName&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

// Removes a folder with its content. Thread-safe: a second caller waits for the first and finds nothing. Other threads
// may still be writing there.
void remove_worker_folder(const std::filesystem::path& folder) noexcept;

}  // namespace attune
