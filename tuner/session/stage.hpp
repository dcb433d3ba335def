// Stage: common parts of the stages after the search. Instances are loaded and checked; they are lost when they fail
// now. One thread.
#pragma once

#include "session/session_parts.hpp"

namespace attune {

class Stage {
 public:
  explicit Stage(SessionParts& parts) : on_(parts) {}

 protected:
  // Returns the instance of a configuration with its image, compiled if necessary; nothing when either cannot be made.
  std::optional<ReadyInstance> ready(const Configuration& configuration);
  // Loads and checks it; it stays loaded. When it fails, the trial is lost and the result is nothing.
  std::optional<Tried> load(const Trial& trial, const ReadyInstance& ready);
  // Logs a trial that fails now with its new verdict. `result`: of the job with this status.
  void lose(Trial trial, const Status& status, const Result& result);

  SessionParts& on_;
};

}  // namespace attune
