#include "worker.hpp"

#include <optional>

#include "device/replay/replay_kernel.hpp"
#include "replay.hpp"
#include "tuning/program_tunable.hpp"
#include "worker/callable_runner.hpp"
#include "worker/callable_spec.hpp"
#include "worker/recording_runner.hpp"

namespace attune::cli {
namespace {

// The file of the running program, even if another version has replaced it.
constexpr const char* this_program = "/proc/self/exe";

Recording recording_of(const ReplayRequest& replay, const Arguments& arguments) {
  const auto word = [&](std::size_t i) { return i < arguments.size() ? std::optional(arguments[i]) : std::nullopt; };
  return chosen_recording(replay.file, word(0), word(1));
}

}  // namespace

void add_worker_option(Options& options) {
  options.add()("worker", named_value("COMMAND"),
                "what is run by `sh` as device worker, such as \"nice attune-worker\" (default: attune itself)");
}

WorkerOptions worker_options(const Options& options) { return {.command = options.text("worker").value_or("")}; }

std::unique_ptr<Workers> workers_for(const std::string& device, const WorkerOptions& options) {
  return process_workers(this_program, device, options);
}

std::unique_ptr<Workers> workers_for(std::vector<std::string> devices, const WorkerOptions& options) {
  return process_workers(this_program, std::move(devices), options);
}

std::unique_ptr<Testbed> open_program(const std::string& name, const Arguments& arguments) {
  if (name != callable_kind || arguments.empty()) return nullptr;
  return callable_testbed(tunable_of_program(arguments.front()));
}

std::unique_ptr<Testbed> open_recording(const std::string& name, const Arguments& arguments) {
  if (!is_replay(name)) return nullptr;
  const ReplayRequest replay = parse_replay(name);
  return recording_testbed(std::make_shared<Replay>(recording_of(replay, arguments), replay.options));
}

std::shared_ptr<Compiler> recording_compiler(const std::string& name, const Arguments& arguments) {
  return is_replay(name) ? make_replay_compiler(recording_of(parse_replay(name), arguments)) : nullptr;
}

}  // namespace attune::cli
