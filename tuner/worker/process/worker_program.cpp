#include "worker/process/worker_program.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <set>

#include "attune/error.hpp"
#include "attune/worker.hpp"
#include "base/trusted_environment.hpp"
#include "worker/callable_runner.hpp"
#include "worker/callable_spec.hpp"
#include "worker/compile_server.hpp"
#include "worker/device_server.hpp"
#include "worker/kernel_runner.hpp"
#include "worker/process/no_tracing.hpp"
#include "worker/process/serve.hpp"
#include "worker/process/worker_folder.hpp"
#include "worker/process/worker_guard.hpp"
#include "worker/process/worker_processes.hpp"
#include "worker/process/worker_state.hpp"

namespace attune {
namespace {

bool has_called_worker_main = false;
std::set<std::string> known_tunables;  // names

std::unique_ptr<Testbed> open_callable(const std::vector<Tunable>& tunables, const std::string& device,
                                       const std::vector<std::string>& arguments) {
  if (device != callable_kind) return nullptr;
  for (const Tunable& tunable : tunables)
    if (!arguments.empty() && tunable.name == arguments.front()) return callable_testbed(tunable);
  throw UsageError(fmt::format("worker_main() of this program was not given the tunable `{}`",
                               arguments.empty() ? "" : arguments.front()));
}

constexpr int exit_error = 1, exit_usage = 2;  // as of the program attune

int ended_with(const char* message, int status = exit_error) {
  fmt::print(stderr, "attune-worker: {}\n", message);
  return status;
}

// What a worker is started as.
struct WorkerArguments {
  std::string role, device;
  std::vector<std::string> further;
};

WorkerArguments parsed(const std::vector<std::string>& arguments) {
  if (arguments.size() < 3 || (arguments[0] != "device" && arguments[0] != "compile") || arguments[1] != "--device")
    throw UsageError("usage: attune-worker device|compile --device NAME, as attune starts it");
  return {arguments[0], arguments[2], {arguments.begin() + 3, arguments.end()}};
}

std::unique_ptr<Testbed> testbed_for(const WorkerArguments& wanted, const WorkerSeams& seams) {
  std::unique_ptr<Testbed> testbed = seams.open ? seams.open(wanted.device, wanted.further) : nullptr;
  if (testbed == nullptr) testbed = kernel_testbed(open_device(wanted.device));
  return seams.testbed ? seams.testbed(std::move(testbed)) : std::move(testbed);
}

// Opens no device where that would cost a driver's context.
std::shared_ptr<Compiler> compiler_for(const WorkerArguments& wanted, const WorkerSeams& seams) {
  std::shared_ptr<Compiler> compiler =
      seams.open_compiler ? seams.open_compiler(wanted.device, wanted.further) : nullptr;
  if (compiler == nullptr) compiler = make_compiler(wanted.device, HeavyHeaders::precompile);
  return seams.compiler ? seams.compiler(std::move(compiler)) : std::move(compiler);
}

// A worker without a coordinator on this machine has a session and a mark of its own. The mark is of this process's
// start: a kernel may change the environment later.
void guard_worker(const std::filesystem::path& folder) {
  if (std::getenv(worker_mark) == nullptr) {
    setsid();  // fails if the process leads a group; then what it starts is found by the mark
    setenv(worker_mark, folder.c_str(), 1);
  }
  start_worker_guard({folder, std::getenv(worker_mark), getpid()}, channel().jobs);
}

// Answers every job with the error, if opening fails.
template <typename Open, typename Serve>
void serve_opened(Open open, Serve serve_it) {
  std::optional<WorkerFolder> folder;
  decltype(open()) opened;
  try {
    folder.emplace();  // before a device starts threads
    guard_worker(folder->path());
    opened = open();
  } catch (const std::exception&) {
    const Failure failure = failure_of_current_exception();
    if (!folder) guard_worker("");
    return serve([&failure](const Job&) {
      Reply reply;
      reply.answer = failure;
      return reply;
    });
  }
  serve_it(std::move(opened));
}

void serve_device(const WorkerArguments& wanted, const WorkerSeams& seams) {
  serve_opened([&] { return testbed_for(wanted, seams); },
               [&](std::unique_ptr<Testbed> testbed) {
                 const bool runs_kernels = testbed->info().kind == "host";  // in this process
                 if (runs_kernels) forbid_tracing(getppid());
                 DeviceServer server(std::move(testbed), acknowledge);
                 const auto answer = [&server](const Job& job) { return server.answer(job); };
                 serve(runs_kernels ? watching_this_process(answer) : answer);
               });
}

void serve_compiler(const WorkerArguments& wanted, const WorkerSeams& seams) {
  serve_opened([&] { return compiler_for(wanted, seams); },
               [&](std::shared_ptr<Compiler> compiler) {
                 CompileServer server(std::move(compiler), seams.compiling);
                 serve([&server](const Job& job) {
                   if (const auto* compile = std::get_if<Compile>(&job)) limit_processor_time(compile->requests.size());
                   return server.answer(job);
                 });
               });
}

}  // namespace

int run_worker(const std::vector<std::string>& arguments, const WorkerSeams& seams) {
  signal(SIGCHLD, SIG_DFL);  // a parent may have ignored it; then no child has an exit status
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file size limit is an error with a message, like a full disk
  try {
    const WorkerArguments wanted = parsed(arguments);
    take_channel();
    wanted.role == "device" ? serve_device(wanted, seams) : serve_compiler(wanted, seams);
    return 0;
  } catch (const UsageError& error) {
    return ended_with(error.what(), exit_usage);
  } catch (const std::bad_alloc&) {
    return ended_with("out of memory; raise the limit (`ulimit -v`, ATTUNE_COMPILE_MEMORY)");
  } catch (const std::exception& error) {
    return ended_with(error.what());
  }
}

std::optional<int> worker_main(int count, char** values, const WorkerSeams& seams) {
  has_called_worker_main = true;
  if (count < 2 || std::string_view(values[1]) != worker_word) return std::nullopt;
  return run_worker({values + 2, values + count}, seams);
}

std::optional<int> worker_main(int count, char** values) {
  return is_environment_trusted() ? worker_main(count, values, WorkerSeams{}) : std::nullopt;
}

std::optional<int> worker_main(int count, char** values, const std::vector<Tunable>& tunables) {
  if (!is_environment_trusted()) return std::nullopt;
  for (const Tunable& tunable : tunables) known_tunables.insert(tunable.name);
  WorkerSeams seams;
  seams.open = [&tunables](const std::string& device, const std::vector<std::string>& arguments) {
    return open_callable(tunables, device, arguments);
  };
  return worker_main(count, values, seams);
}

bool is_worker_program() noexcept { return has_called_worker_main; }

bool is_worker_of(const std::string& tunable) { return known_tunables.contains(tunable); }

}  // namespace attune
