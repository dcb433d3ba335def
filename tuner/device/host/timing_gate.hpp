// Compiling and timing share the cores of this machine, so they take turns: many compiles at once, or one sample alone.
// Whoever asks first goes first, lest a stream of compiles keep the timing waiting. Any thread; never nested.
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
