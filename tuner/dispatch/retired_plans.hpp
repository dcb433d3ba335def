// RetiredPlans: plans that no launch can find any more, but that launches under way may still read. Any thread.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "dispatch/plan_entry.hpp"
#include "dispatch/readers.hpp"

namespace attune {

class RetiredPlans {
 public:
  RetiredPlans() = default;
  ~RetiredPlans();
  // Takes a plan that was just unpublished.
  void add(std::unique_ptr<const PublishedPlan> plan) noexcept;
  // Frees everything that was taken, once all launches have ended that were under way. Waits `patience` for them at
  // most; what a launch still reads then is left to a later call. Without membarrier(2) it frees nothing.
  void free(std::chrono::nanoseconds patience = {}) noexcept;

 private:
  bool free_unread();
  std::mutex mutex_;
  std::unique_ptr<const PublishedPlan> first_;
  std::optional<GracePeriod> grace_;  // began after the last plan was taken; absent: it must begin
};

}  // namespace attune
