// Collector: drops code and scratch memory of a dispatcher that was not used for two epochs, while more is held than
// the limits allow. Epochs pass only while a limit is exceeded. It works on the background thread. Owned by a
// Dispatcher.
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
  // Access to everything that holds plans and modules. Any thread.
  struct Holders {
    std::function<void(Survey&)> survey;  // adds to the survey what is held
    std::function<void(const ModuleSet&, Garbage&)>
        drop;  // moves doomed code to `Garbage`: later launches do not find it
  };
  // `background` may end before this object, but not before end() is called.
  Collector(std::shared_ptr<Device> device, std::shared_ptr<Holdings> holdings, const MemoryLimits& limits,
            Background& background, Holders holders);
  // Stops watching growth, so that growth begins no epochs any more. What is dropped already is freed with this object.
  void end() { holdings_->on_growth({}); }

  struct Counts {
    std::uint64_t images = 0, scratch = 0;  // images and scratch arrays that were dropped
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
  // Only the background thread uses the members below.
  Garbage dropped_;
  std::vector<std::weak_ptr<const Module>> modules_;  // the dropped modules, to count which of them are freed
  std::vector<ScratchMemory> memory_;                 // taken from streams, to be freed
  std::optional<GracePeriod> grace_;                  // set while launches may read what was dropped
  std::chrono::nanoseconds pause_{};                  // until `grace_` is asked again
};

}  // namespace attune
