#include "device/host/timing_gate.hpp"

namespace attune {
namespace {

// A shared_mutex prefers readers; so a writer waits for it alone, before the door.
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
