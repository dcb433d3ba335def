// LaunchBlock: everything that a launch of a plain plan reads, in one piece of memory. This keeps launches fast among
// thousands of plans, where little of a plan is in the processor's caches. Plans with tensor maps, variables, arrays by
// value or scratch memory are not plain. Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/loaded_steps.hpp"
#include "dispatch/argument_table.hpp"

namespace attune {

struct PlanParts;
struct PlanSteps;

class LaunchBlock {
 public:
  struct Free {
    void operator()(const LaunchBlock* block) const noexcept;
  };
  using Owner = std::unique_ptr<const LaunchBlock, Free>;
  // Makes the block of a plan with these steps, which `parts` must own. Returns null where the plan is not plain.
  static Owner make(const PlanParts& parts, const PlanSteps& plan);

  // Checks the arguments and enqueues the steps. A graph that is captured from the stream must hold the plan. Only
  // values that are converted are copied; the driver reads the others where they were passed. Throws what Plan::launch
  // throws.
  void launch(StreamHandle stream, std::span<const PlanArgument> passed) const;
  // Returns the block's memory, which begins at a line of the cache.
  std::span<const std::byte> memory() const noexcept { return {reinterpret_cast<const std::byte*>(this), bytes_}; }
  const PlanParts& parts() const noexcept { return parts_; }
  // Returns whether the stream is captured.
  bool is_captured(StreamHandle stream) const { return device_.is_captured(stream); }

 private:
  struct BlockStep {
    Operation operation;      // without its pointers
    std::uint32_t first = 0;  // the place of its first parameter, or of its target, among all parameters
  };
  using Constant = std::array<std::byte, 16>;  // a scalar that attune computes
  // Where the parts lie behind the block, in bytes from its start.
  struct Layout {
    std::size_t steps = 0, sources = 0, constants = 0, forms = 0, end = 0;
  };
  LaunchBlock(const PlanParts& parts, const PlanSteps& plan, const Layout& layout);
  static Layout layout_of(const PlanSteps& plan);
  template <typename T>
  const T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(this) + offset);
  }
  template <typename T>
  void put(std::size_t offset, const T& part) noexcept {
    new (reinterpret_cast<std::byte*>(this) + offset) T(part);
  }
  // `array` points to the address of the array to set.
  Status set_memory(Operation memset, const void* array, StreamHandle stream) const;
  void refuse(std::span<const PlanArgument> passed) const;
  [[noreturn]] void fail(std::size_t step, const Status& status) const;

  const PlanParts& parts_;  // not read by a launch
  Device& device_;
  std::uint16_t passed_, steps_, parameters_, steps_at_, sources_at_, forms_at_, bytes_;
};

}  // namespace attune
