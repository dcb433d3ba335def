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
  const LaunchBlock* const block = block_for(Policy::background);
  return block != nullptr ? block->memory() : std::span<const std::byte>();
}

[[gnu::cold]] void PlanEntry::publish_block() noexcept {
  const PublishedPlan* const plan = owner_.get();
  const bool is_plain = plan != nullptr && plan->ask_again_ns == 0 && (plan->is_best || is_awaited());
  const auto block = is_plain ? reinterpret_cast<std::uintptr_t>(plan->parts->block.get()) : 0;
  block_.store(block == 0 || plan->is_best ? block : block | is_not_best, std::memory_order_release);
}

[[gnu::cold]] std::unique_ptr<const PublishedPlan> PlanEntry::replace(
    std::unique_ptr<const PublishedPlan> next) noexcept {
  owner_.swap(next);
  present_.store(owner_.get(), std::memory_order_release);
  publish_block();
  return next;
}

[[gnu::cold]] void PlanEntry::set_awaited(bool is_awaited) noexcept {
  is_awaited_.store(is_awaited, std::memory_order_relaxed);
  publish_block();
}

}  // namespace attune
