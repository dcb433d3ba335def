// Runs a compiler as a child process, without a shell, with a deadline. Thread-safe.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/process_deadline.hpp"

namespace attune {

struct ProcessResult {
  int exit_code = -1;  // -1: ended by a signal or the deadline
  int signal = 0;
  double processor_seconds = 0;  // used by the program and by the children that it waited for
  bool timed_out = false;        // at the deadline the whole process group was killed
  std::string output;            // standard output and error, at most output_bytes, then "... (N bytes more)"
};

inline constexpr std::size_t output_bytes = 64 * 1024;

// Runs a program in `folder` and waits for its end. Throws Error when the program cannot be started.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                          TimeLimit limit);

// A folder of this process, with mode 0700. The destructor removes it with its content.
class TemporaryFolder {
 public:
  TemporaryFolder();  // throws Error
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace attune
