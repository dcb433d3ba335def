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

class LaunchBlock {
 public:
  struct Free {
    void operator()(const LaunchBlock* block) const noexcept;
  };
  using Owner = std::unique_ptr<const LaunchBlock, Free>;
  // Returns null where the plan is not plain. `device` and what the steps hold must outlive it.
  static Owner make(Device& device, const ArgumentTable& arguments, const LoadedSteps& steps);

  // Checks the arguments and enqueues the steps. Returns false, with nothing enqueued, where an argument does not fit:
  // ArgumentTable::encode() says which. `failed`: the step that the device refused, with its status.
  bool launch(StreamHandle stream, std::span<const PlanArgument> passed, Status& status, std::size_t& failed) const;
  // Has its bytes brought into the cache, all at once.
  static void prefetch(const LaunchBlock* block) noexcept {
    constexpr std::size_t line = 64, most = 12 * line;
    for (std::size_t offset = 0; offset < most; offset += line)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(block) + offset);
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
  LaunchBlock(Device& device, const ArgumentTable& arguments, const LoadedSteps& steps, const Layout& layout);
  static Layout layout_of(const ArgumentTable& arguments, const LoadedSteps& steps);
  template <typename T>
  const T* at(std::size_t offset) const noexcept {
    return reinterpret_cast<const T*>(reinterpret_cast<const std::byte*>(this) + offset);
  }

  Device& device_;
  std::uint16_t passed_, steps_, slots_, forms_at_, steps_at_, places_at_, values_at_, values_, pointers_at_;
};

}  // namespace attune
