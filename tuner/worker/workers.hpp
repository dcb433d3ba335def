// Workers: makes the transports that a Pool owns. They lead to workers in processes of their own, or in this process.
// One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "worker/result.hpp"
#include "worker/transport.hpp"

namespace attune {

class Replay;
class Testbed;

class Workers {
 public:
  virtual ~Workers() = default;
  // Returns how many device workers there are.
  virtual LaneId device_workers() const { return 1; }
  // Makes a transport to a device worker. The worker starts at its first job.
  virtual std::unique_ptr<Transport> device_worker(LaneId lane) = 0;
  // Makes a transport to a further compile worker for the device. `device`: opened by the device worker.
  virtual std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) = 0;
};

// Workers in this process, where a kernel's damage hits the session.
class LocalWorkers final : public Workers {
 public:
  using MakeTestbed = std::function<std::unique_ptr<Testbed>()>;
  using MakeCompiler = std::function<std::shared_ptr<Compiler>()>;
  // For kernels; the device must outlive it and its transports.
  explicit LocalWorkers(Device& device);
  // For a recording. Sessions that share a replay share its clock.
  explicit LocalWorkers(std::shared_ptr<Replay> replay);
  // With a device worker for each of the replays, which are of one recording.
  explicit LocalWorkers(std::vector<std::shared_ptr<Replay>> replays);
  // For whatever a testbed runs.
  LocalWorkers(MakeTestbed make_testbed, MakeCompiler make_compiler)
      : make_testbeds_{std::move(make_testbed)}, make_compiler_(std::move(make_compiler)) {}
  LaneId device_workers() const override { return make_testbeds_.size(); }
  std::unique_ptr<Transport> device_worker(LaneId) override;
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override;

 private:
  std::vector<MakeTestbed> make_testbeds_;  // by lane
  const MakeCompiler make_compiler_;
};

struct WorkerOptions {
  std::vector<std::string> arguments{};  // further ones, for a device that the program alone knows (WorkerSeams::open)
  std::string command{};                 // of a shell, in place of the program as device worker; "": none
  bool shows_output = false;             // the device worker prints to standard output of this process
};

// Returns workers in processes of their own, which open the device of this name. They are started as `program
// attune-worker device|compile --device NAME ARGUMENTS...`. `command` gets the same words, but for the first two,
// behind its own.
std::unique_ptr<Workers> process_workers(const std::string& program, const std::string& device,
                                         const WorkerOptions& options = {});
// The same with a device worker for each of the devices; compile workers are of the first.
std::unique_ptr<Workers> process_workers(const std::string& program, std::vector<std::string> devices,
                                         const WorkerOptions& options = {});

}  // namespace attune
