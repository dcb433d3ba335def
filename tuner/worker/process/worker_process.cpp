#include "worker/process/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <string.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "worker/process/worker_processes.hpp"

namespace attune {
namespace {

// How many bytes of a worker's last output are kept.
constexpr std::size_t printed_bytes = 4096;

constexpr int jobs_bytes = 1 << 20;

// How long kill() waits before it kills. A worker whose pipe broke is about to end by itself, and its exit status says
// more than SIGKILL.
constexpr double last_words_seconds = 0.05;

Program program_of(const WorkerCommand& command, const std::string& folder, const Pipe& jobs, const Pipe& replies,
                   const Pipe& output) {
  std::map<std::string, std::string> environment = command.environment;
  environment.insert({{"TMPDIR", folder}, {worker_mark, folder}});
  return {.arguments = command.arguments,
          .environment = std::move(environment),
          .input = jobs.read.get(),
          .output = replies.write.get(),
          .errors = command.output == Output::shared ? STDOUT_FILENO : output.write.get(),
          .group = Program::Group::session,
          .niceness = command.niceness,
          .address_bytes = command.address_bytes};
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerCommand& command)
    : jobs_(make_pipe()),
      replies_(make_pipe()),
      output_(make_pipe()),
      process_(program_of(command, folder_.path(), jobs_, replies_, output_)) {
  // A pipe that is full must not make the worker wait. So unread output of a kernel that prints without end is lost.
  for (const Descriptor* const end : {&jobs_.write, &replies_.read, &output_.read, &output_.write})
    fcntl(end->get(), F_SETFL, fcntl(end->get(), F_GETFL) | O_NONBLOCK);
  // An image fits into the pipe, so that sending does not wait until all is read. Where so large a pipe is not allowed,
  // it stays small.
  fcntl(jobs_.write.get(), F_SETPIPE_SZ, jobs_bytes);
  for (Descriptor* const end : {&jobs_.read, &replies_.write, &output_.write}) end->close();
}

WorkerProcess::~WorkerProcess() {
  jobs_.write.close();  // a worker that waits for jobs then ends by itself
  kill(1);
}

bool WorkerProcess::kill(double seconds) noexcept {
  if (!std::exchange(killed_, true)) {
    is_ended_here_ = !process_.ends_within(last_words_seconds);
    process_.kill(0);
    kill_processes_of(number(), folder_.path().string());  // such as a compiler, which has a process group of its own
  }
  return process_.ends_within(seconds);
}

std::string WorkerProcess::how_it_ended() const {
  if (!process_.has_ended()) return "still exists";
  if (const int signal = process_.signal()) return fmt::format("killed by signal {} ({})", signal, strsignal(signal));
  return fmt::format("exited with code {}", process_.exit_code().value_or(0));
}

std::string WorkerProcess::last_output() {
  std::array<char, 4096> piece{};
  for (;;) {
    const ssize_t count = read(output_.read.get(), piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    printed_.append(piece.data(), static_cast<std::size_t>(count));
    if (printed_.size() > printed_bytes) printed_.erase(0, printed_.size() - printed_bytes);
  }
  return printed_;
}

}  // namespace attune
