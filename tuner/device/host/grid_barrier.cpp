#include "device/host/grid_barrier.hpp"

#include "base/await.hpp"

namespace attune {

void GridBarrier::begin(std::uint64_t blocks) {
  const std::lock_guard lock(mutex_);
  blocks_ = blocks;
  arrived_ = ended_ = meetings_ = 0;
  stopped_ = false;
}

GridBarrier::BarrierEnd GridBarrier::arrive() {
  std::unique_lock lock(mutex_);
  const std::uint64_t meeting = meetings_;
  if (++arrived_ == blocks_) {
    arrived_ = 0;
    ++meetings_;
    changed_.notify_all();
    return BarrierEnd::complete;
  }
  await(changed_, lock, [&] { return meetings_ != meeting || stopped_ || ended_ > 0; });
  if (meetings_ != meeting) return BarrierEnd::complete;
  return stopped_ ? BarrierEnd::stopped : BarrierEnd::in_vain;
}

void GridBarrier::end_block() {
  const std::lock_guard lock(mutex_);
  ++ended_;
  changed_.notify_all();
}

void GridBarrier::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace attune
