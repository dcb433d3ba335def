#include "worker/process/worker_processes.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>
#include <thread>

namespace attune {
namespace {

namespace fs = std::filesystem;

// There are several passes, because a process may start another one between its discovery and its end.
constexpr int kill_passes = 20;
constexpr std::chrono::milliseconds pause_between_passes{1};

// Returns the session of a process, or -1 when the process has ended. Fields are counted from the end of the process's
// name, because the name may contain anything.
pid_t session_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  pid_t parent = 0, group = 0, session = -1;
  rest >> state >> parent >> group >> session;
  return state == "Z" || state == "X" ? -1 : session;
}

// Returns whether the process was started with this entry in its environment.
bool was_started_with(const fs::path& process, const std::string& entry) {
  std::ifstream file(process / "environ", std::ios::binary);
  std::string text(1, '\0');
  text.append(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  return text.find('\0' + entry + '\0') != std::string::npos;
}

// Kills the processes once. Returns how many there were.
int kill_once(pid_t session, const std::string& entry) {
  int found = 0;
  std::error_code ignored;
  for (const auto& process : fs::directory_iterator("/proc", ignored)) {
    const std::string name = process.path().filename().string();
    if (name.empty() || !std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    const auto number = static_cast<pid_t>(std::stol(name));
    if (number == getpid()) continue;
    const pid_t its_session = session_of(process.path());
    if (its_session < 0) continue;  // it has ended
    if (its_session != session && (entry.empty() || !was_started_with(process.path(), entry))) continue;
    if (kill(number, SIGKILL) == 0) ++found;
  }
  return found;
}

}  // namespace

void kill_processes_of(pid_t session, const std::string& mark) noexcept try {
  const std::string entry = mark.empty() ? "" : std::string(worker_mark) + "=" + mark;
  for (int pass = 0; pass < kill_passes && kill_once(session, entry) > 0; ++pass)
    std::this_thread::sleep_for(pause_between_passes);
} catch (const std::exception&) {
}

}  // namespace attune
