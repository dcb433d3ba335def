// Workers: where jobs are done: in processes of their own, or in this one. Makes the transports that a Pool owns. One
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "device/device.hpp"
#include "worker/transport.hpp"

namespace attune {

class Workers {
 public:
  virtual ~Workers() = default;
  // To the device worker, which is started by its first job.
  virtual std::unique_ptr<Transport> device_worker() = 0;
  // To a further compile worker for the device. `device`: what the device worker opened.
  virtual std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) = 0;
};

// In this process: what a kernel does to it is done to the session.
class LocalWorkers final : public Workers {
 public:
  // The device must outlive it and its transports.
  explicit LocalWorkers(Device& device) : device_(device) {}
  std::unique_ptr<Transport> device_worker() override;
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override;

 private:
  Device& device_;
};

// In processes: `executable worker device ...` and `executable worker compile ...`, with `arguments` behind, which name
// the device.
std::unique_ptr<Workers> process_workers(const std::string& executable, const std::vector<std::string>& arguments,
                                         const std::string& device_name);

}  // namespace attune
