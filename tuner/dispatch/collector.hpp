// Collector: drops code and scratch memory of a dispatcher that was not used for two epochs, where there is more than
// the limits say. Epochs go by only while there is. It works on the background thread. Owned by a Dispatcher.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dispatch/background.hpp"
#include "dispatch/holdings.hpp"
#include "dispatch/readers.hpp"
#include "dispatch/survey.hpp"

namespace attune {

struct MemoryLimits {
  std::uint64_t images = 0, scratch = 0;  // bytes
  std::chrono::nanoseconds epoch{};
};

class Collector {
 public:
  // What holds plans and modules. Any thread.
  struct Holders {
    std::function<void(Survey&)> survey;                // says what is held
    std::function<void(const Doomed&, Dropped&)> drop;  // lets go of it: no launch that begins then finds it
  };
  // `background` must outlive end(), not this.
  Collector(std::shared_ptr<Device> device, std::shared_ptr<Holdings> holdings, const MemoryLimits& limits,
            Background& background, Holders holders);
  // Begins no epoch any more. What is dropped already is freed with this.
  void end() { holdings_->on_growth({}); }

  struct Counts {
    std::uint64_t images = 0, scratch = 0;  // that were dropped
  };
  Counts counts() const noexcept { return {images_, scratch_}; }

 private:
  bool is_beyond_limits() const noexcept;
  void grew();
  void schedule(std::chrono::nanoseconds after);
  void step();
  void end_epoch();
  void drop_images();
  void free_dropped();

  const std::shared_ptr<Device> device_;  // outlives what is dropped
  const std::shared_ptr<Holdings> holdings_;
  const MemoryLimits limits_;
  Background& background_;
  const Holders holders_;
  std::atomic<bool> is_under_way_{false};
  std::atomic<std::uint64_t> images_{0}, scratch_{0};
  // All below is of the background thread.
  Dropped dropped_;
  std::vector<std::weak_ptr<const Module>> modules_;  // that were dropped
  std::vector<ScratchMemory> memory_;                 // that was taken
  std::optional<GracePeriod> grace_;                  // while launches may read what was dropped
  std::chrono::nanoseconds pause_{};                  // until it is asked again
};

}  // namespace attune
