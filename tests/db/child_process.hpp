// A child process that the tests of db follow, kill and wait for.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <exception>
#include <functional>

namespace attune::test {

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

// How many bytes it wrote before its end, those that were read already not counted.
inline std::size_t bytes_left(const Child& child) {
  std::size_t total = 0;
  char buffer[4096];
  for (ssize_t count; (count = read(child.output, buffer, sizeof buffer)) > 0;)
    total += static_cast<std::size_t>(count);
  return total;
}

}  // namespace attune::test
