#include <unistd.h>

#include <algorithm>

#include "worker/compile_processes.hpp"
#include "worker/limits.hpp"
#include "worker/process/process_transport.hpp"
#include "worker/trial_worker.hpp"
#include "worker/workers.hpp"

namespace attune {
namespace {

// Compiling gives way to measuring.
constexpr int kCompileNiceness = 10;

// A compile worker's address space: a template that outgrows it is a verdict, not the end of the machine. NVRTC with
// everything of CCCL included stays below 2 GiB.
constexpr std::uint64_t kCompileBytes = std::uint64_t{8} << 30;

std::uint64_t compile_bytes() {
  const auto limit = compile_limit_bytes();
#if defined(__SANITIZE_ADDRESS__)
  return 0;  // the sanitizer reserves terabytes of addresses
#endif
  if (limit) return *limit;
  const auto machine = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
                       static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
  return machine == 0 ? kCompileBytes : std::min(kCompileBytes, machine);
}

class ProcessWorkers final : public Workers {
 public:
  ProcessWorkers(const std::string& executable, std::vector<std::string> arguments, const std::string& device_name)
      : arguments_(std::move(arguments)),
        device_(device_command(executable, device_name)),
        compile_(command("compile", executable, device_name, {kCompileNiceness, compile_bytes()})) {}

  Transport& device() override { return device_; }
  std::shared_ptr<Compiler> compiler() override {
    if (compiler_ != nullptr) return compiler_;
    WorkerCommand command = compile_;
    // An architecture is compiled for without a context on the device.
    if (const DeviceInfo info = open_worker(device_).info; info.kind == "cuda")
      command.arguments.insert(command.arguments.end(), {"--device", info.architecture()});
    else
      command.arguments.insert(command.arguments.end(), arguments_.begin(), arguments_.end());
    compiler_ = std::make_shared<CompileProcesses>([command] { return std::make_unique<ProcessTransport>(command); });
    return compiler_;
  }

 private:
  static WorkerCommand command(const std::string& role, const std::string& executable, const std::string& device_name,
                               ChildLimits limits) {
    return {{executable, "worker", role}, role + " worker of " + device_name, limits};
  }
  WorkerCommand device_command(const std::string& executable, const std::string& device_name) const {
    WorkerCommand made = command("device", executable, device_name, {});
    made.arguments.insert(made.arguments.end(), arguments_.begin(), arguments_.end());
    return made;
  }

  const std::vector<std::string> arguments_;
  ProcessTransport device_;
  const WorkerCommand compile_;
  std::shared_ptr<CompileProcesses> compiler_;
};

}  // namespace

std::unique_ptr<Workers> process_workers(const std::string& executable, const std::vector<std::string>& arguments,
                                         const std::string& device_name) {
  return std::make_unique<ProcessWorkers>(executable, arguments, device_name);
}

}  // namespace attune
