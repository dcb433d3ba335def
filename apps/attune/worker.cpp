#include "worker.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>

#include "attune/error.hpp"
#include "device/replay/replay_kernel.hpp"
#include "options.hpp"
#include "replay.hpp"
#include "worker/compile_server.hpp"
#include "worker/device_server.hpp"
#include "worker/kernel_runner.hpp"
#include "worker/process/child_process.hpp"
#include "worker/process/no_tracing.hpp"
#include "worker/process/serve.hpp"
#include "worker/process/worker_folder.hpp"
#include "worker/process/worker_guard.hpp"
#include "worker/process/worker_processes.hpp"
#include "worker/process/worker_state.hpp"
#include "worker/recording_runner.hpp"

namespace attune::cli {
namespace {

// The file of the running program, even if another version has replaced it.
constexpr const char* this_program = "/proc/self/exe";

Recording recording_for(const Options& options) {
  return chosen_recording(parse_replay(options.required("device")).file, options.text("kernel"),
                          options.text("problem"));
}

std::unique_ptr<Testbed> testbed_for(const Options& options) {
  const std::string name = options.required("device");
  if (!is_replay(name)) return kernel_testbed(open_device(name));
  return recording_testbed(std::make_shared<Replay>(recording_for(options), parse_replay(name).options));
}

// Returns a compiler. It opens no device where that would cost a driver's context.
std::shared_ptr<Compiler> compiler_for(const Options& options) {
  const std::string name = options.required("device");
  return is_replay(name) ? make_replay_compiler(recording_for(options)) : make_compiler(name, HeavyHeaders::precompile);
}

// The mark is of this process's start: a kernel may change the environment later.
void guard_worker(const std::filesystem::path& folder) {
  const char* const mark = std::getenv(worker_mark);
  start_worker_guard({folder, mark != nullptr ? mark : "", getpid()}, lifeline_descriptor);
}

// Answers every job with the error, if opening fails.
template <typename Open, typename Serve>
int serve_opened(Open open, Serve serve_it) {
  std::optional<WorkerFolder> folder;
  decltype(open()) opened;
  expect_coordinator();
  try {
    folder.emplace();  // before a device starts threads
    guard_worker(folder->path());
    opened = open();
  } catch (const std::exception&) {
    const Failure failure = failure_of_current_exception();
    if (!folder) guard_worker("");
    serve([&failure](const Job&) {
      Reply reply;
      reply.answer = failure;
      return reply;
    });
    return exit_done;
  }
  serve_it(std::move(opened));  // an exception ends this process
  return exit_done;
}

}  // namespace

int run_worker(const Arguments& arguments, const WorkerSeams& seams) {
  Options options("attune worker device|compile --device NAME", "", {"role"});
  options.add()("device,d", named_value("DEVICE"), "what to open")("kernel", named_value("KERNEL"), "of a recording")(
      "problem,p", named_value("PROBLEM"), "of a recording");
  if (options.parse(arguments)) return exit_done;
  const std::string role = options.required("role");
  if (role == "device") {
    return serve_opened(
        [&] {
          std::unique_ptr<Testbed> testbed = testbed_for(options);
          return seams.testbed ? seams.testbed(std::move(testbed)) : std::move(testbed);
        },
        [&](std::unique_ptr<Testbed> testbed) {
          const bool runs_kernels = testbed->info().kind == "host";  // in this process
          if (runs_kernels) forbid_tracing(getppid());
          DeviceServer server(std::move(testbed), acknowledge);
          const auto answer = [&server](const Job& job) { return server.answer(job); };
          serve(runs_kernels ? watching_this_process(answer) : answer);
        });
  }
  if (role != "compile") throw UsageError("`attune worker` is started by attune itself, as device or compile");
  return serve_opened(
      [&] {
        std::shared_ptr<Compiler> compiler = compiler_for(options);
        return seams.compiler ? seams.compiler(std::move(compiler)) : std::move(compiler);
      },
      [&](std::shared_ptr<Compiler> compiler) {
        CompileServer server(std::move(compiler), seams.compiling);
        serve([&server](const Job& job) {
          if (const auto* compile = std::get_if<Compile>(&job)) limit_processor_time(compile->requests.size());
          return server.answer(job);
        });
      });
}

std::unique_ptr<Workers> workers_for(const std::string& device, const std::optional<std::string>& kernel,
                                     const std::optional<std::string>& problem) {
  std::vector<std::string> arguments{"--device", device};
  if (kernel) arguments.insert(arguments.end(), {"--kernel", *kernel});
  if (problem) arguments.insert(arguments.end(), {"--problem", *problem});
  return process_workers(this_program, arguments, device);
}

std::unique_ptr<Workers> printing_workers_for(const std::string& device) {
  return process_workers(this_program, {"--device", device}, device, true);
}

}  // namespace attune::cli
