// Stage: common parts of the stages after the search. Instances are loaded and checked; they are lost when they fail
// now. One thread.
#pragma once

#include "session/session_parts.hpp"

namespace attune {

class Stage {
 public:
  explicit Stage(SessionParts& parts) : on_(parts) {}

 protected:
  // The instance of a configuration with its image, compiled if necessary; nothing when either cannot be made.
  struct Ready {
    std::shared_ptr<const Instance> instance;
    Image image;
  };
  std::optional<Ready> ready(const Configuration& configuration);
  // Loads and checks it; it stays loaded. When it fails, the trial is lost and the result is nothing.
  std::optional<Tried> load(const Trial& trial, const Ready& ready);
  // Logs a trial that fails now with its new verdict.
  void lose(Trial trial, const Status& status, int deaths);

  SessionParts& on_;
};

}  // namespace attune
