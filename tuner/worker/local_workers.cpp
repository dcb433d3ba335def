#include "worker/compile_server.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/workers.hpp"

namespace attune {

std::unique_ptr<Transport> LocalWorkers::device_worker(LaneId) {
  const auto server = std::make_shared<DeviceServer>(device_);
  return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
}

std::unique_ptr<Transport> LocalWorkers::compile_worker(const DeviceInfo&) {
  const auto server = std::make_shared<CompileServer>(device_.compiler());
  return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
}

}  // namespace attune
