// Stage: what the stages after the search have in common: instances that are loaded, checked, and lost when they fail
// now after all. One thread.
#pragma once

#include "session/session_parts.hpp"

namespace attune {

class Stage {
 public:
  explicit Stage(SessionParts& parts) : on_(parts) {}

 protected:
  // The instance of a configuration with its image, which is compiled if need be; nothing when either cannot be made.
  struct Ready {
    std::shared_ptr<const Instance> instance;
    Image image;
  };
  std::optional<Ready> ready(const Configuration& configuration);
  // Loads and checks it; it stays loaded. Nothing, and the trial is lost, when it fails.
  std::optional<Tried> load(const Trial& trial, const Ready& ready);
  // A trial that fails now after all is logged as what it is.
  void lose(Trial trial, const Status& status, int deaths);

  SessionParts& on_;
};

}  // namespace attune
