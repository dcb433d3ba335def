// SymbolUploads: what the variables of a plan's own module hold. Any thread.
#pragma once

#include <mutex>
#include <vector>

#include "device/launch_frame.hpp"

namespace attune {

struct PlanParts;

class SymbolUploads {
 public:
  // Its holder alone sets variables and enqueues steps that read them.
  using Turn = std::unique_lock<std::mutex>;
  Turn take_turn() { return Turn(mutex_); }
  // Enqueues copies of the frame's arrays into their variables, where these are not known to hold them. A capture
  // always records them. Throws Error. Needs the turn.
  void upload(const PlanParts& parts, const LaunchFrame& frame, StreamHandle stream, bool is_captured);
  // The arrays' content is another.
  void forget() noexcept;

 private:
  std::mutex mutex_;
  std::vector<const void*> sources_;  // of each variable; none while they are unknown
  bool is_in_graph_ = false;          // which sets the variables whenever it runs
};

}  // namespace attune
