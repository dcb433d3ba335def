// Compiling and timing share the cores of this machine and take turns: many compiles at once, or one sample alone.
// While a sample waits for compiles to end, no further compile begins, so that a stream of compiles does not delay it.
// Thread-safe; never nested.
#pragma once

#include <mutex>
#include <shared_mutex>

namespace attune {

class CompilingNow {
 public:
  CompilingNow();

 private:
  std::shared_lock<std::shared_mutex> lock_;
};

class TimingNow {
 public:
  TimingNow();

 private:
  std::unique_lock<std::shared_mutex> lock_;
};

}  // namespace attune
