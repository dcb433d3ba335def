#include "base/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <string_view>
#include <thread>

#include "base/start_thread.hpp"
#include "base/trusted_environment.hpp"
#include "base/user_limits.hpp"

namespace attune {
namespace {

// What is waited for longer than this is waited for without an end.
constexpr double longest_seconds = 1e8;

bool can_be_run(const std::string& path) {
  std::error_code failed;
  return access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path, failed);
}

// The texts must outlive the result.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

void begin_session() {
  setsid();  // so Ctrl-C reaches only the parent, and all that the program starts is found by its session
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGXFSZ}) sigaction(number, &usual, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
}

// Gives the process three descriptors and no others.
void take_descriptors(const Program& program) {
  const int nothing = program.input < 0 ? open("/dev/null", O_RDONLY) : program.input;
  int sources[] = {nothing, program.output, program.errors};
  constexpr int beyond_all_three = 10;
  for (int& source : sources) source = fcntl(source, F_DUPFD_CLOEXEC, beyond_all_three);
  for (int number = 0; number < 3; ++number) sources[number] < 0 ? close(number) : dup2(sources[number], number);
#ifdef SYS_close_range
  syscall(SYS_close_range, STDERR_FILENO + 1, ~0u, 0);
#endif
}

// Runs between fork and exec. The parent may have threads, so nothing here may allocate.
[[noreturn]] void become(const Program& program, char* const* arguments, char* const* environment, pid_t parent) {
  if (program.group == Program::Group::session) begin_session();
  if (program.group == Program::Group::own) setpgid(0, 0);
  if (program.ends_with_parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
  }
  take_descriptors(program);
  if (program.niceness != 0) setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + program.niceness);
  if (program.address_bytes != 0) {
    const rlimit limit{program.address_bytes, program.address_bytes};
    setrlimit(RLIMIT_AS, &limit);
  }
  if (program.fixed_addresses) personality(ADDR_NO_RANDOMIZE);  // some containers forbid it
  if (program.folder.empty() || chdir(program.folder.c_str()) == 0) execve(arguments[0], arguments, environment);
  _exit(127);
}

}  // namespace

std::string find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return can_be_run(name) ? std::filesystem::absolute(name).string() : "";
  std::istringstream folders(trusted_environment("PATH").value_or("/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;  // the present folder may be anybody's
    const std::string candidate = folder + "/" + name;
    if (can_be_run(candidate)) return std::filesystem::absolute(candidate).string();
  }
  return "";
}

std::vector<std::string> environment_with(const std::map<std::string, std::string>& changes) {
  std::vector<std::string> list;
  for (const auto& [name, value] : changes) list.push_back(name + "=" + value);
  if (!is_environment_trusted()) {
    list.emplace_back("PATH=/usr/bin:/bin");
    return list;
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!changes.contains(std::string(text.substr(0, text.find('='))))) list.emplace_back(text);
  }
  return list;
}

ChildProcess::ChildProcess(const Program& program) : has_group_(program.group != Program::Group::parent) {
  const std::vector<std::string> variables = environment_with(program.environment);
  const std::vector<char*> arguments = pointers_to(program.arguments), environment = pointers_to(variables);
  const pid_t parent = getpid();
  number_ = fork();
  if (number_ == 0) become(program, arguments.data(), environment.data(), parent);
  if (number_ < 0) throw not_started(program.arguments[0], errno);
  if (program.group == Program::Group::own) setpgid(number_, number_);  // either of the two may come first
}

bool ChildProcess::kill(double seconds) noexcept {
  if (!has_ended() && has_group_) ::kill(-number_, SIGKILL);
  if (!has_ended()) ::kill(number_, SIGKILL);  // it may not yet have its session
  return ends_within(seconds);
}

bool ChildProcess::ends_within(double seconds) noexcept {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> wished(std::min(seconds, longest_seconds));
  return ends_while([deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(wished)] {
    return Clock::now() < deadline;
  });
}

bool ChildProcess::ends_while(const std::function<bool()>& may_wait) {
  for (auto pause = std::chrono::microseconds(100); !has_ended();
       pause = std::min(2 * pause, std::chrono::microseconds(10'000))) {
    int status = 0;
    rusage used{};
    const pid_t found = wait4(number_, &status, WNOHANG, &used);
    if (found == number_) processor_seconds_ = processor_seconds_of(used);
    if (found == number_ || (found < 0 && errno != EINTR)) status_ = status;  // 0 if it was reaped elsewhere
    if (has_ended() || !may_wait()) break;
    std::this_thread::sleep_for(pause);
  }
  return has_ended();
}

std::optional<int> ChildProcess::exit_code() const noexcept {
  return status_ && WIFEXITED(*status_) ? std::optional(WEXITSTATUS(*status_)) : std::nullopt;
}

int ChildProcess::signal() const noexcept { return status_ && WIFSIGNALED(*status_) ? WTERMSIG(*status_) : 0; }

}  // namespace attune
