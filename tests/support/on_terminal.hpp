// Runs a program on a terminal of its own.
#pragma once

#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace attune::test {

struct Terminal {
  const char* kind = "xterm";
  unsigned short columns = 0;  // 0: the terminal does not say
};

struct OnTerminal {
  std::string text;  // what was written
  int code = -1;     // exit status; 128 + signal when it was killed
};

// Runs `program` in a child whose standard streams are a terminal. `answer` is called with all that was written so far,
// each time more arrives; the terminal types what it returns.
inline OnTerminal on_terminal(
    const std::function<void()>& program, Terminal terminal = {},
    const std::function<std::string(const std::string&)>& answer = [](const std::string&) { return std::string(); }) {
  winsize size{};
  size.ws_col = terminal.columns;
  size.ws_row = 24;
  int master = -1;
  const pid_t child = forkpty(&master, nullptr, nullptr, &size);
  if (child == 0) {
    setenv("TERM", terminal.kind, 1);
    program();
    std::fflush(stdout);
    _exit(0);
  }
  OnTerminal result;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(master, buffer, sizeof buffer)) > 0;) {
    result.text.append(buffer, static_cast<std::size_t>(got));
    const std::string typed = answer(result.text);
    if (write(master, typed.data(), typed.size()) < 0) break;
  }
  int status = 0;
  waitpid(child, &status, 0);
  close(master);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// Returns the lines that were drawn one over the other, without printed lines.
inline std::set<std::string> live_lines(std::string_view text) {
  constexpr std::string_view erasing = "\r\x1b[2K";
  std::set<std::string> lines;
  for (std::size_t at = text.find(erasing); at != std::string_view::npos;) {
    const std::size_t begin = at + erasing.size();
    at = text.find(erasing, begin);
    const std::string_view line = text.substr(begin, at - begin);
    if (at != std::string_view::npos && !line.empty() && line.find('\n') == std::string_view::npos)
      lines.insert(std::string(line));
  }
  return lines;
}

// Returns how many different lines of these begin with `begin`.
inline std::size_t live_lines_of(const std::string& text, std::string_view begin) {
  std::size_t count = 0;
  for (const std::string& line : live_lines(text)) count += line.starts_with(begin);
  return count;
}

}  // namespace attune::test
