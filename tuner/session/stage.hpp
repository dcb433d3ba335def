// Stage: common parts of the stages after the search. A configuration that survived the search but fails in a later
// stage is lost: it gets the new verdict and leaves the session. One thread.
#pragma once

#include "session/session_parts.hpp"

namespace attune {

class Stage {
 public:
  explicit Stage(SessionParts& parts) : on_(parts) {}

 protected:
  // Returns the instance of a configuration with its image, which is compiled if necessary. Returns nothing if either
  // cannot be made.
  std::optional<ReadyInstance> ready(const Configuration& configuration);
  // Loads and checks an instance on a bench, where it stays loaded. If it fails, the trial is lost and the result is
  // nothing.
  std::optional<TryAnswer> load(TrialBench& bench, const Trial& trial, const ReadyInstance& ready);
  // Logs a trial that fails on a bench, with its new verdict, unless it failed on another one before. `result` is that
  // of the job with this status.
  void lose(const TrialBench& bench, Trial trial, const Status& status, const Result& result);

  SessionParts& on_;
};

}  // namespace attune
