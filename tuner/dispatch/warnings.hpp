// Warnings: passes each distinct message to the application once. Any thread.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attune {

class Warnings {
 public:
  using Sink = std::function<void(const std::string&)>;
  explicit Warnings(Sink sink) : sink_(std::move(sink)) {}

  // Keeps a message until deliver(), unless it was kept before.
  void warn(const std::string& message) {
    const std::lock_guard lock(mutex_);
    if (said_.insert(message).second) pending_.push_back(message);
  }

  // Passes the kept messages to the sink. Call it where nothing is locked or being prepared, because the application's
  // sink may call the dispatcher. What the sink throws is lost: it may run on a thread of attune, or beside another
  // exception.
  void deliver() noexcept {
    std::vector<std::string> messages;
    {
      const std::lock_guard lock(mutex_);
      messages.swap(pending_);
    }
    for (const std::string& message : messages) {
      try {
        sink_(message);
      } catch (...) {
      }
    }
  }

 private:
  Sink sink_;
  std::mutex mutex_;
  std::set<std::string> said_;
  std::vector<std::string> pending_;
};

// Delivers warnings at its end, whether by an exception or not, where the locks that were taken after it are free
// again.
struct WarningDelivery {
  Warnings& warnings;
  ~WarningDelivery() { warnings.deliver(); }
};

}  // namespace attune
