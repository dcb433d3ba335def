// Warnings: passes each trouble to the application once. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

namespace attune {

class Warnings {
 public:
  using Sink = std::function<void(const std::string&)>;
  explicit Warnings(Sink sink) : sink_(std::move(sink)) {}

  void warn(const std::string& message) {
    {
      const std::lock_guard lock(mutex_);
      if (!said_.insert(message).second) return;
    }
    sink_(message);  // unlocked: the application's own code may call back
  }

 private:
  Sink sink_;
  std::mutex mutex_;
  std::set<std::string> said_;
};

}  // namespace attune
