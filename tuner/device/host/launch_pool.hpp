// LaunchPool: spreads the blocks of a launch over OS threads, each with a BlockRunner. Launches take turns. Any thread
// may call run(); owned by the host device.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "device/host/block_runner.hpp"

namespace attune {

// Returns the number of OS threads for blocks: $ATTUNE_HOST_THREADS, else the cores, at most max_host_threads.
int host_thread_count();

class LaunchPool {
 public:
  explicit LaunchPool(int threads);
  ~LaunchPool();
  LaunchPool(const LaunchPool&) = delete;
  LaunchPool& operator=(const LaunchPool&) = delete;

  // Runs every block; returns when all are done. Returns nothing, or the first fault.
  std::optional<std::string> run(const KernelCall& call);

 private:
  void work();
  void run_blocks(BlockRunner& runner);
  void report(const std::string& fault);

  std::mutex turn_;  // one launch at a time
  BlockRunner own_;  // of the thread that has the turn

  std::mutex mutex_;
  std::condition_variable changed_;
  KernelCall call_;
  std::uint64_t launch_ = 0;  // number of the present launch; helpers wait for it to change
  int busy_ = 0;
  bool stopping_ = false;
  std::atomic<std::uint64_t> next_block_{0};
  std::atomic<bool> faulted_{false};
  std::optional<std::string> fault_;
  std::vector<std::thread> helpers_;
};

}  // namespace attune
