#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/user_limits.hpp"
#include "worker/process/process_transport.hpp"
#include "worker/process/worker_program.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

// Compile workers are nicer, because measuring has priority over compiling.
constexpr int compile_niceness = 10;

// A compile worker's address space. A template that needs more gets a verdict instead of the machine's memory. NVRTC
// with all of CCCL included needs less than 2 GiB.
constexpr std::uint64_t default_compile_bytes = std::uint64_t{8} << 30;

std::uint64_t compile_bytes() {
  const auto limit = compile_limit_bytes();
#if defined(__SANITIZE_ADDRESS__)
  return 0;  // no limit, because the sanitizer reserves terabytes of addresses
#endif
  if (limit) return *limit;
  const auto machine = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
                       static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return machine == 0 ? default_compile_bytes : std::min(default_compile_bytes, machine);
}

class ProcessWorkers final : public Workers {
 public:
  ProcessWorkers(std::string program, std::vector<std::string> devices, WorkerOptions options)
      : program_(std::move(program)), devices_(std::move(devices)), options_(std::move(options)) {}

  LaneId device_workers() const override { return devices_.size(); }
  std::unique_ptr<Transport> device_worker(LaneId lane) override {
    const std::string& name = devices_.at(lane);
    WorkerCommand command = begun("device", name);
    // CUDA shows a process one part of partitioned GPUs, which has to be named before the driver starts.
    if (name.starts_with("MIG-")) command.environment["CUDA_VISIBLE_DEVICES"] = name;
    if (!options_.command.empty())
      command.arguments = {"/bin/sh", "-c", options_.command + " \"$@\"", worker_word, "device"};
    if (options_.shows_output) command.output = Output::shared;
    return completed(std::move(command), name);
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override {
    WorkerCommand command = begun("compile", devices_.front());
    command.niceness = compile_niceness;
    command.address_bytes = compile_bytes();
    // Compiling for an architecture needs no context on the device.
    return completed(std::move(command), device.kind == "cuda" ? device.architecture() : devices_.front());
  }

 private:
  WorkerCommand begun(const char* role, const std::string& device) const {
    return {.arguments = {program_, worker_word, role}, .what = fmt::format("{} worker of {}", role, device)};
  }
  std::unique_ptr<Transport> completed(WorkerCommand command, const std::string& opened) const {
    command.arguments.insert(command.arguments.end(), {"--device", opened});
    command.arguments.insert(command.arguments.end(), options_.arguments.begin(), options_.arguments.end());
    return std::make_unique<ProcessTransport>(std::move(command));
  }

  const std::string program_;
  const std::vector<std::string> devices_;  // by lane
  const WorkerOptions options_;
};

}  // namespace

std::unique_ptr<Workers> process_workers(const std::string& program, const std::string& device,
                                         const WorkerOptions& options) {
  return process_workers(program, std::vector{device}, options);
}

std::unique_ptr<Workers> process_workers(const std::string& program, std::vector<std::string> devices,
                                         const WorkerOptions& options) {
  return std::make_unique<ProcessWorkers>(program, std::move(devices), options);
}

}  // namespace attune
