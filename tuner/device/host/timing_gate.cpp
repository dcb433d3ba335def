#include "device/host/timing_gate.hpp"

namespace attune {
namespace {

// A shared_mutex prefers readers. So each request holds the door while it waits for the cores, and no reader passes a
// waiting writer.
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
