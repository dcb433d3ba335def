#include "device/host/compiler_process.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "attune/error.hpp"
#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/system_failure.hpp"
#include "base/trusted_environment.hpp"

namespace attune {
namespace {

namespace fs = std::filesystem;

// A process that still exists so long after SIGKILL waits for a disk or a network.
constexpr double seconds_after_kill = 60;

// Reads until the end of the output or the deadline. Returns true when the end came first.
bool collect(int source, ProcessDeadline& deadline, ProcessResult& result) {
  std::size_t left_out = 0;
  char buffer[4096];
  for (;;) {
    const int left = deadline.milliseconds_left();
    if (left == 0) return false;
    pollfd wait{source, POLLIN, 0};
    const int ready = poll(&wait, 1, left);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t count = read(source, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    const std::size_t room = output_bytes - std::min(output_bytes, result.output.size());
    const std::size_t kept = std::min(room, static_cast<std::size_t>(count));
    result.output.append(buffer, kept);
    left_out += static_cast<std::size_t>(count) - kept;
  }
  if (left_out > 0) result.output += "\n... (" + std::to_string(left_out) + " bytes more)";
  return true;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const fs::path& folder, TimeLimit limit) {
  Pipe output = make_pipe();
  ChildProcess compiler({.arguments = arguments,
                         .environment = {{"LC_ALL", "C"}, {"TMPDIR", folder.string()}},
                         .folder = folder.string(),
                         .output = output.write.get(),
                         .errors = output.write.get(),
                         .group = Program::Group::own});
  output.write.close();
  ProcessResult result;
  ProcessDeadline deadline(compiler.number(), limit);
  // One whose output has ended nearly always ends at once.
  result.timed_out = !collect(output.read.get(), deadline, result) ||
                     !compiler.ends_while([&deadline] { return deadline.milliseconds_left() > 0; });
  if (result.timed_out) compiler.kill(seconds_after_kill);
  result.processor_seconds = compiler.processor_seconds();
  result.signal = compiler.signal();
  result.exit_code = compiler.exit_code().value_or(-1);
  return result;
}

TemporaryFolder::TemporaryFolder() {
  const std::string parent = trusted_environment("TMPDIR").value_or("/tmp");
  std::string name = (fs::absolute(parent) / "attune-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error("cannot make a folder for temporary files in " + parent + ": " + system_failure(errno) +
                "; name another place with TMPDIR");
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace attune
