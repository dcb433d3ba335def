// A pool of workers in this process, which run a recording, for whole sessions.
#pragma once

#include <memory>
#include <utility>

#include "device/replay/replay.hpp"
#include "device/replay/replay_kernel.hpp"
#include "worker/pool.hpp"

namespace attune {

struct ReplayPool {
  explicit ReplayPool(Recording recording, ReplayOptions options = {})
      : replay(std::make_shared<Replay>(std::move(recording), options)), workers(replay), pool(workers) {}
  ReplayPool(const ReplayPool&) = delete;
  ReplayPool& operator=(const ReplayPool&) = delete;

  const std::shared_ptr<Replay> replay;
  LocalWorkers workers;
  Pool pool;
};

}  // namespace attune
