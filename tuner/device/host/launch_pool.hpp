// LaunchPool: spreads the blocks of a launch over OS threads, each with a BlockRunner. A cooperative launch has a
// thread for each block, so that blocks may wait for each other. Launches take turns. Any thread may call run(); owned
// by the host device.
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

// The stacks of each OS thread may take 64 MiB of address space, and as much memory as kernels use of them.
constexpr int max_host_threads = 256;

// Returns the number of OS threads for blocks: $ATTUNE_HOST_THREADS, else the cores, at most max_host_threads.
int host_thread_count();

class LaunchPool {
 public:
  explicit LaunchPool(int threads);
  ~LaunchPool();
  LaunchPool(const LaunchPool&) = delete;
  LaunchPool& operator=(const LaunchPool&) = delete;

  // Runs every block; returns when all are done. Returns nothing, or the first fault. A cooperative launch has at most
  // max_host_threads blocks.
  std::optional<std::string> run(const KernelCall& call);

 private:
  std::size_t helpers_for(const KernelCall& call);
  void work(std::size_t number);
  void run_blocks(BlockRunner& runner);
  void report(const std::string& fault);

  std::size_t usual_;  // helpers of a launch that is not cooperative
  std::mutex turn_;    // one launch at a time
  BlockRunner own_;    // of the thread that has the turn

  std::mutex mutex_;
  std::condition_variable begun_, begun_more_, ended_;  // awaited by the usual helpers; the others; run()
  KernelCall call_;
  std::uint64_t launch_ = 0;  // number of the present launch; helpers wait for it to change
  std::size_t wanted_ = 0;    // so many helpers, from the first on, work on the launch
  std::size_t busy_ = 0;
  bool stopping_ = false;
  std::atomic<std::uint64_t> next_block_{0};
  std::atomic<bool> faulted_{false};
  std::optional<std::string> fault_;
  GridBarrier grid_;  // of a cooperative launch
  std::vector<std::thread> helpers_;
};

}  // namespace attune
