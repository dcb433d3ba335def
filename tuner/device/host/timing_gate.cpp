#include "device/host/timing_gate.hpp"

namespace attune {
namespace {

// A shared_mutex prefers readers; who waits for it does so alone, in front of the door.
std::mutex door;
std::shared_mutex cores;

}  // namespace

CompilingNow::CompilingNow() {
  const std::lock_guard turn(door);
  lock_ = std::shared_lock(cores);
}

TimingNow::TimingNow() {
  const std::lock_guard turn(door);
  lock_ = std::unique_lock(cores);
}

}  // namespace attune
