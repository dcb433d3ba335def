#include "worker.hpp"

#include <optional>

#include "replay.hpp"

namespace attune::cli {
namespace {

// The file of the running program, even if another version has replaced it.
constexpr const char* this_program = "/proc/self/exe";

}  // namespace

void add_worker_option(Options& options) {
  options.add()("worker", named_value("COMMAND"),
                "what is run by `sh` as device worker, such as \"nice attune-worker\" (default: attune itself)");
}

WorkerOptions worker_options(const Options& options) { return {.command = options.text("worker").value_or("")}; }

std::unique_ptr<Workers> workers_for(const std::string& device, const WorkerOptions& options) {
  return process_workers(this_program, device, options);
}

std::unique_ptr<Device> open_recording(const std::string& name, const Arguments& arguments) {
  if (!is_replay(name)) return nullptr;
  const auto word = [&](std::size_t i) { return i < arguments.size() ? std::optional(arguments[i]) : std::nullopt; };
  const ReplayRequest replay = parse_replay(name);
  return make_replay_device(chosen_recording(replay.file, word(0), word(1)), replay.options);
}

}  // namespace attune::cli
