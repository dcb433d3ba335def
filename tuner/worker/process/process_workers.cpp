#include <unistd.h>

#include <algorithm>

#include "base/user_limits.hpp"
#include "worker/process/process_transport.hpp"
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
  ProcessWorkers(const std::string& executable, std::vector<std::string> arguments, const std::string& device_name,
                 bool shows_output)
      : executable_(executable),
        arguments_(std::move(arguments)),
        device_name_(device_name),
        output_(shows_output ? Output::shared : Output::kept) {}

  std::unique_ptr<Transport> device_worker(LaneId) override {
    return std::make_unique<ProcessTransport>(command("device", arguments_, {}, output_));
  }
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override {
    // Compiling for an architecture needs no context on the device.
    const std::vector<std::string> architecture{"--device", device.architecture()};
    return std::make_unique<ProcessTransport>(command("compile", device.kind == "cuda" ? architecture : arguments_,
                                                      {compile_niceness, compile_bytes()}, Output::kept));
  }

 private:
  WorkerCommand command(const std::string& role, const std::vector<std::string>& arguments, ChildLimits limits,
                        Output output) const {
    WorkerCommand made{{executable_, "worker", role}, role + " worker of " + device_name_, limits, output};
    made.arguments.insert(made.arguments.end(), arguments.begin(), arguments.end());
    return made;
  }

  const std::string executable_;
  const std::vector<std::string> arguments_;
  const std::string device_name_;
  const Output output_;
};

}  // namespace

std::unique_ptr<Workers> process_workers(const std::string& executable, const std::vector<std::string>& arguments,
                                         const std::string& device_name, bool shows_output) {
  return std::make_unique<ProcessWorkers>(executable, arguments, device_name, shows_output);
}

}  // namespace attune
