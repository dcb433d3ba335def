// LaunchBlock: all that a launch of a plain plan reads, in one piece of memory: among thousands of plans, little of it is
// in a cache. Plans with tensor maps, variables or scratch memory have none. Immutable; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "device/launch_frame.hpp"
#include "dispatch/argument_table.hpp"

namespace attune {

struct PlanParts;

class LaunchBlock {
 public:
  struct Free {
    void operator()(const LaunchBlock* block) const noexcept;
  };
  using Owner = std::unique_ptr<const LaunchBlock, Free>;
  // Returns null where the plan is not plain. The parts own it.
  static Owner make(const PlanParts& parts);
  const PlanParts& parts() const noexcept { return parts_; }

  // Checks the arguments and enqueues the steps. Returns false, with nothing enqueued, where an argument does not fit:
  // ArgumentTable::encode() says which. `failed`: the step that the device refused, with its status.
  bool launch(StreamHandle stream, std::span<const PlanArgument> passed, Status& status, std::size_t& failed) const;
  // Returns where it lies, in whole lines of the cache from the first byte.
  std::span<const std::byte> memory() const noexcept {
    return {reinterpret_cast<const std::byte*>(this), std::size_t{values_at_} + values_};
  }
  // A launch on a captured stream is none for a block.
  bool is_captured(StreamHandle stream) const { return device_.is_captured(stream); }

 private:
  struct Step {
    Operation operation;  // less its pointers
    std::size_t slot = 0;
  };
  // Where the parts lie behind the block, in bytes from its start.
  struct Layout {
    std::size_t forms = 0, steps = 0, places = 0, values = 0, end = 0;
  };
  LaunchBlock(const PlanParts& parts, const Layout& layout);
  static Layout layout_of(const ArgumentTable& arguments, const LoadedSteps& steps);
  template <typename T>
  const T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(this) + offset);
  }

  const PlanParts& parts_;  // not read by a launch
  Device& device_;
  std::uint16_t passed_, steps_, slots_, forms_at_, steps_at_, places_at_, values_at_, values_, pointers_at_;
};

}  // namespace attune
