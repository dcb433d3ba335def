// Workers: where jobs are done: in processes of their own, or in this one. It makes the transports that a Pool owns.
// One thread.
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
  // Makes a transport to the device worker, which its first job starts.
  virtual std::unique_ptr<Transport> device_worker() = 0;
  // Makes a transport to a further compile worker for the device. `device`: opened by the device worker.
  virtual std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) = 0;
};

// Workers in this process: a kernel's damage hits the session.
class LocalWorkers final : public Workers {
 public:
  // The device must outlive it and its transports.
  explicit LocalWorkers(Device& device) : device_(device) {}
  std::unique_ptr<Transport> device_worker() override;
  std::unique_ptr<Transport> compile_worker(const DeviceInfo& device) override;

 private:
  Device& device_;
};

// Returns workers in processes: `executable worker device ...` and `executable worker compile ...`. `arguments` follow;
// they name the device. `shows_output`: the device worker prints where this process does.
std::unique_ptr<Workers> process_workers(const std::string& executable, const std::vector<std::string>& arguments,
                                         const std::string& device_name, bool shows_output = false);

}  // namespace attune
