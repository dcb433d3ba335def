#include "dispatch/collector.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "attune/error.hpp"

namespace attune {
namespace {

// Pauses between two looks at whether a grace period is over. It lasts long when a long kernel runs on the host device.
constexpr std::chrono::nanoseconds first_pause = std::chrono::milliseconds(1), longest_pause = std::chrono::seconds(1);

}  // namespace

Collector::Collector(std::shared_ptr<Device> device, std::shared_ptr<Holdings> holdings, const MemoryLimits& limits,
                     Background& background, Holders holders)
    : device_(std::move(device)),
      holdings_(std::move(holdings)),
      limits_(limits),
      background_(background),
      holders_(std::move(holders)) {
  holdings_->on_growth([this] { grew(); });
}

bool Collector::is_beyond_limits() const noexcept {
  return holdings_->image_bytes() > limits_.images || holdings_->scratch_bytes() > limits_.scratch;
}

void Collector::grew() {
  if (!is_beyond_limits() || is_under_way_.exchange(true)) return;
  try {
    schedule(limits_.epoch);
  } catch (const Error&) {  // no thread: the next growth tries again
    is_under_way_ = false;
  }
}

void Collector::schedule(std::chrono::nanoseconds after) {
  background_.set_later(Background::Clock::now() + after, [this] { step(); });
}

void Collector::step() {
  try {
    if (!grace_) end_epoch();
  } catch (const std::bad_alloc&) {
    return schedule(limits_.epoch);  // no room to look for what can be dropped
  }
  if (grace_ && !grace_->is_over()) {
    schedule(pause_);
    pause_ = std::min(2 * pause_, longest_pause);
    return;
  }
  free_dropped();
  grace_.reset();
  if (is_beyond_limits()) return schedule(limits_.epoch);
  is_under_way_ = false;
  grew();  // it may have grown just now
}

void Collector::end_epoch() {
  drop_images();
  if (memory_.empty()) memory_ = holdings_->take_unused(limits_.scratch);
  holdings_->begin_epoch();
  if (dropped_.empty()) return;
  grace_.emplace();
  pause_ = first_pause;
}

void Collector::drop_images() {
  const std::uint64_t bytes = holdings_->image_bytes();
  if (bytes <= limits_.images || !GracePeriod::can_end()) return;
  Survey survey;
  holders_.survey(survey);
  ModuleSet doomed;
  for (const std::shared_ptr<Module>& module : survey.unused(*holdings_, bytes - limits_.images)) {
    doomed.insert(module.get());
    modules_.emplace_back(module);
  }
  if (!doomed.empty()) holders_.drop(doomed, dropped_);
}

// Unloading code waits for all work of its context; it spoils no capture and does not hold up other threads. Freeing
// memory waits for that work too, and also holds up launches, so it comes last.
void Collector::free_dropped() {
  dropped_.clear();
  images_ += static_cast<std::uint64_t>(std::ranges::count_if(modules_, [](const auto& one) { return one.expired(); }));
  modules_.clear();
  for (ScratchMemory& memory : memory_) {
    const std::uint64_t bytes = memory.bytes(), arrays = memory.arrays();
    memory = {};
    holdings_->freed(bytes);
    scratch_ += arrays;
  }
  memory_.clear();
}

}  // namespace attune
