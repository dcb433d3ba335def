// RetiredPlans: plans that no launch can find any more, but that launches under way may still read. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "dispatch/readers.hpp"

namespace attune {

class RetiredPlans {
 public:
  // Takes what was just unpublished.
  void add(std::shared_ptr<const void> plan);
  // Frees everything that was taken, once all launches have ended that were under way. Waits `patience` for them at
  // most; what a launch still reads then is left to a later call. Without membarrier(2) it frees nothing.
  void free(std::chrono::nanoseconds patience = {});

 private:
  bool free_unread();
  std::mutex mutex_;
  std::vector<std::shared_ptr<const void>> plans_;
  std::optional<GracePeriod> grace_;  // began after the last plan was taken; absent: it must begin
};

}  // namespace attune
