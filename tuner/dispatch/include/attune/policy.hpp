// Policy: what a plan or a launch does while the best configuration is not loaded.
#pragma once

#include "attune/error.hpp"

namespace attune {

enum class Policy {
  wait,        // compiles or loads the best configuration, and waits for it
  background,  // uses the best that is loaded or cached; waits for the default configuration where there is nothing.
               // A thread of attune prepares the best of all meanwhile, for later launches and plans
  cached_only  // uses the best that is loaded or cached; throws NotPrepared where there is nothing
};

// Nothing is loaded or cached, and compiling was not allowed, by the policy or because the stream is being captured.
// what() names what to prepare.
class NotPrepared : public Error {
 public:
  using Error::Error;
};

}  // namespace attune
