#include "device/replay/replay_kernel.hpp"
#include "worker/compile_server.hpp"
#include "worker/device_server.hpp"
#include "worker/direct_transport.hpp"
#include "worker/kernel_runner.hpp"
#include "worker/recording_runner.hpp"
#include "worker/workers.hpp"

namespace attune {

LocalWorkers::LocalWorkers(Device& device)
    : LocalWorkers([&device] { return kernel_testbed(device); }, [&device] { return device.compiler(); }) {}

LocalWorkers::LocalWorkers(std::shared_ptr<Replay> replay)
    : LocalWorkers([replay] { return recording_testbed(replay); },
                   [compiler = make_replay_compiler(replay->recording())] { return compiler; }) {}

LocalWorkers::LocalWorkers(std::vector<std::shared_ptr<Replay>> replays) : LocalWorkers(replays.at(0)) {
  for (std::size_t i = 1; i < replays.size(); ++i)
    make_testbeds_.push_back([replay = replays[i]] { return recording_testbed(replay); });
}

std::unique_ptr<Transport> LocalWorkers::device_worker(LaneId lane) {
  const auto server = std::make_shared<DeviceServer>(make_testbeds_.at(lane)());
  return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
}

std::unique_ptr<Transport> LocalWorkers::compile_worker(const DeviceInfo&) {
  const auto server = std::make_shared<CompileServer>(make_compiler_());
  return std::make_unique<DirectTransport>([server](const Job& job) { return server->answer(job); });
}

}  // namespace attune
