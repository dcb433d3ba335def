// GridBarrier: where the blocks of a cooperative launch wait for each other. Each block waits on an OS thread of its
// own. A LaunchPool owns the barrier.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace attune {

class GridBarrier {
 public:
  // How a wait ended: all blocks arrived, the launch is over after a fault, or a block has ended that never arrives.
  enum class BarrierEnd { complete, stopped, in_vain };

  // Prepares for a launch of so many blocks. No block may wait.
  void begin(std::uint64_t blocks);
  // Waits for the other blocks. Any thread.
  BarrierEnd arrive();
  // Notes that a block has ended. Any thread.
  void end_block();
  // Ends all waits of this launch. Any thread.
  void stop();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t blocks_ = 0, arrived_ = 0, ended_ = 0, meetings_ = 0;
  bool stopped_ = false;
};

}  // namespace attune
