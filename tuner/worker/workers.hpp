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
  // For whatever a testbed runs.
  LocalWorkers(MakeTestbed make_testbed, MakeCompiler make_compiler)
      : make_testbed_(std::move(make_testbed)), make_compiler_(std::move(make_compiler)) {}
  std::unique_ptr<Transport> device_worker(LaneId) override;
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override;

 private:
  const MakeTestbed make_testbed_;
  const MakeCompiler make_compiler_;
};

// Returns workers in processes of their own: `executable worker device ...` and `executable worker compile ...`.
// `arguments` follow these words and name the device. `shows_output`: the device worker prints where this process
// prints.
std::unique_ptr<Workers> process_workers(const std::string& executable, const std::vector<std::string>& arguments,
                                         const std::string& device_name, bool shows_output = false);

}  // namespace attune
