// For tests of a user with a limit of processes and threads (RLIMIT_NPROC). Root has no such limit.
#pragma once

#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace attune::test {

// A user without processes. Each test has its own user, because tests run beside each other.
inline const uid_t lone_user = 100'000 + static_cast<uid_t>(getpid());

// Makes this process one of lone_user, with a limit of `processes` processes and threads, this one included. Returns
// whether that succeeded.
inline bool become_lone_user(rlim_t processes) {
  const rlimit limit{processes, processes};
  return setgroups(0, nullptr) == 0 && setgid(lone_user) == 0 && setuid(lone_user) == 0 &&
         setrlimit(RLIMIT_NPROC, &limit) == 0;
}

// Runs `work` in a child process that can start no thread. Returns its text.
inline std::string without_further_threads(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = become_lone_user(1) ? work() : "no lone user";
    _exit(::write(ends[1], text.data(), text.size()) < 0 ? 1 : 0);
  }
  close(ends[1]);
  std::string text;
  char piece[4096];
  for (ssize_t count; (count = ::read(ends[0], piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? "killed by signal " + std::to_string(WTERMSIG(status)) : text;
}

}  // namespace attune::test
