// What the tests of db share: a folder that goes away, and child processes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "attune/error.hpp"

namespace attune::test {

// A fresh directory of mode 0755 (other users must be able to reach what is in it), removed at the end.
class Scratch {
 public:
  explicit Scratch(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "attune-db-XXXXXX").string();
    path_ = mkdtemp(name.data());
    std::filesystem::permissions(path_, std::filesystem::perms(0755));
  }
  ~Scratch() {
    if (process_ != getpid()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  pid_t process_ = getpid();
};

// Returns a folder whose files lie in memory, where waiting for a disk takes no time: a process that is killed leaves
// the same bytes there as on a disk. It is another folder if TMPDIR names one, or where the system has none in memory.
inline std::filesystem::path folder_in_memory() {
  const std::filesystem::path memory = "/dev/shm";
  return getenv("TMPDIR") || access(memory.c_str(), W_OK) != 0 ? std::filesystem::temp_directory_path() : memory;
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

inline void write_file(const std::filesystem::path& file, const std::string& content) {
  std::ofstream stream(file, std::ios::binary);
  stream << content;
}

// The message of the Error that `work` throws, or "" when it throws none.
inline std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// A child process; `work` gets the writing end of a pipe.
struct Child {
  pid_t id = 0;
  int output = -1;
};

inline Child start(const std::function<void(int)>& work) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t id = fork();
  if (id == 0) {
    close(ends[0]);
    try {
      work(ends[1]);
    } catch (const std::exception&) {
      _exit(1);
    }
    _exit(0);
  }
  close(ends[1]);
  return {id, ends[0]};
}

// Waits for its end; the status is that of waitpid().
inline int exit_status(const Child& child) {
  int status = 0;
  waitpid(child.id, &status, 0);
  close(child.output);
  return status;
}

inline void await_byte(const Child& child) {
  char byte = 0;
  ASSERT_EQ(read(child.output, &byte, 1), 1);
}

// What it wrote before its end, without what was read already.
inline std::string rest_of(const Child& child) {
  std::string text;
  char buffer[4096];
  for (ssize_t count; (count = read(child.output, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(count));
  return text;
}

// Runs `work` in a child process; returns what it returned, which travels through a pipe.
inline std::string in_child(const std::function<std::string()>& work) {
  const Child child = start([&](int output) {
    std::string text;
    try {
      text = work();
    } catch (const std::exception& error) {
      text = std::string("exception: ") + error.what();
    }
    if (write(output, text.data(), text.size()) < 0) _exit(1);
  });
  const std::string text = rest_of(child);
  exit_status(child);
  return text;
}

// The same without the rights of root, whom no permission stops. Run as anybody else it is in_child().
inline std::string as_ordinary_user(const std::function<std::string()>& work) {
  constexpr int nobody = 65534;
  return in_child([&]() -> std::string {
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) return "cannot become an ordinary user";
    return work();
  });
}

}  // namespace attune::test
