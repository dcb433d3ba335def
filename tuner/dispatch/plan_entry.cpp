#include "dispatch/plan_entry.hpp"

#include <chrono>
#include <utility>

namespace attune {

const PublishedPlan* PlanEntry::serving(Policy policy) const {
  const PublishedPlan* const plan = present();
  if (plan == nullptr) return nullptr;
  if (plan->ask_again_ns != 0 && std::chrono::steady_clock::now().time_since_epoch().count() >= plan->ask_again_ns)
    return nullptr;
  if (plan->is_best || policy == Policy::cached_only) return plan;
  return policy == Policy::background && (is_awaited() || plan->has_failed) ? plan : nullptr;
}

// Cold functions are compiled for size: libattune.so is to stay small.
[[gnu::cold]] std::span<const std::byte> PlanEntry::memory() const noexcept {
  const LaunchBlock* const block = block_.load(std::memory_order_relaxed);
  return block != nullptr ? block->memory() : std::span<const std::byte>();
}

[[gnu::cold]] void PlanEntry::publish_block() {
  const PublishedPlan* const plan = owner_.get();
  const bool is_plain = plan != nullptr && plan->ask_again_ns == 0 && (plan->is_best || is_awaited());
  block_.store(is_plain ? plan->parts->block.get() : nullptr, std::memory_order_release);
}

[[gnu::cold]] std::unique_ptr<const PublishedPlan> PlanEntry::replace(std::unique_ptr<const PublishedPlan> next) {
  owner_.swap(next);
  present_.store(owner_.get(), std::memory_order_release);
  publish_block();
  return next;
}

// Readers that find the block of a plan that is not the best also find that the best is awaited.
[[gnu::cold]] void PlanEntry::set_awaited(bool is_awaited) {
  if (is_awaited) is_awaited_.store(true, std::memory_order_relaxed);
  if (owner_ != nullptr && !owner_->is_best && !is_awaited) block_.store(nullptr, std::memory_order_release);
  is_awaited_.store(is_awaited, std::memory_order_release);
  publish_block();
}

}  // namespace attune
