// SymbolUploads: remembers which arrays the variables of a plan's own module hold, and uploads others. Any thread.
#pragma once

#include <mutex>
#include <vector>

#include "device/launch_frame.hpp"

namespace attune {

struct PlanParts;

class SymbolUploads {
 public:
  // Only the holder of the turn sets variables and enqueues steps that read them.
  using Turn = std::unique_lock<std::mutex>;
  Turn take_turn() { return Turn(mutex_); }
  // Enqueues copies of the frame's arrays into their variables, unless all variables are known to hold these arrays. A
  // capture always records the copies. Throws Error when the driver refuses one. The caller must hold the turn.
  void upload(const PlanParts& parts, const LaunchFrame& frame, StreamHandle stream, bool is_captured);
  // Says that the content of the arrays changed, so that the next launch uploads them. Waits for the turn.
  void forget() noexcept;

 private:
  std::mutex mutex_;
  std::vector<const void*> sources_;  // the array that each variable holds; empty while unknown
  bool is_in_graph_ = false;          // a launch was captured: a graph may set the variables whenever it runs
};

}  // namespace attune
