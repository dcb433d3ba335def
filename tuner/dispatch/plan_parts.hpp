// PlanParts: everything that the copies of a plan share, and the functions that make a launch of it. What one launch
// alone needs is on the stack of its thread.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "attune/match.hpp"
#include "attune/plan.hpp"
#include "attune/stream_handle.hpp"
#include "device/launch_frame.hpp"
#include "dispatch/argument_table.hpp"
#include "dispatch/holdings.hpp"
#include "dispatch/launch_block.hpp"
#include "dispatch/map_cache.hpp"
#include "dispatch/stream_scratch.hpp"
#include "dispatch/symbol_uploads.hpp"

namespace attune {

// What each plan loads again for itself.
struct OwnModule {
  Image image;
  std::vector<ResolvedStep> steps;
  std::vector<StepArgument> arguments;
};

// Any thread. Keeps device and module alive. Only the mutable members change after it is made.
struct PlanParts {
  std::shared_ptr<Device> device;
  std::string kernel;
  Problem problem;
  Match match;
  ArgumentTable arguments;
  std::shared_ptr<const LoadedSteps> steps;
  // Set for an image with variables, because plans that shared a module would set each other's variables.
  std::optional<OwnModule> own_module = {};
  std::function<void(const std::string&)> warn = {};  // of the dispatcher, which outlives all plans
  LaunchBlock::Owner block = {};                      // null where the plan is not plain
  mutable MapCache maps = {};
  std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>();  // counts its code and scratch memory
  mutable StreamScratch scratch{holdings};
  mutable SymbolUploads uploads = {};

  // Returns how many bytes of scratch memory all streams have at present, without the memory that graphs and
  // ResolvedLaunches own.
  std::uint64_t scratch_bytes() const noexcept { return scratch.bytes(); }

  // Throws Error that says which step of this plan failed, and why.
  [[noreturn]] void fail(std::string_view step, const Status& status) const;
  void enqueue(const Operation& operation, std::string_view step, StreamHandle stream) const {
    if (const Status status = device->enqueue(operation, stream); !status.ok()) fail(step, status);
  }
  void warn_of_misaligned(const std::string& array) const;
};

// Checks the arguments and enqueues the steps. Any thread. On a stream that is captured, the graph holds the parts, and
// has scratch memory of its own. Throws what Plan::launch throws. Returns the name of an array whose misaligned address
// made its tensor map zeros, or null. Allocates nothing, except at the first launch on a stream, in a capture, and for
// parameters beyond LaunchFrame::stack_bytes. It is not inlined, so that launches by a block do not pay for its stack.
[[gnu::noinline]] const std::string* launch_by_frame(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream,
                                                     std::span<const PlanArgument> passed);

// Launches by the plan's block if it has one and the stream is not captured, else by launch_by_frame(). Returns and
// throws what launch_by_frame() does.
inline const std::string* launch_plan(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream,
                                      std::span<const PlanArgument> passed) {
  const LaunchBlock* const block = parts->block.get();
  if (block == nullptr || block->is_captured(stream)) return launch_by_frame(parts, stream, passed);
  block->launch(stream, passed);
  return nullptr;
}

// Returns parts that a plan may launch: the given ones, or where there are variables, new ones with their own module.
// Throws Error when the driver refuses the module.
std::shared_ptr<const PlanParts> parts_of_own(std::shared_ptr<const PlanParts> parts);

// Makes the parts for resolved steps whose entries are in `module`. `image`: given for a kernel with symbols. Returns
// null when the device refuses a step; `status` then says which and why. One thread at a time per module.
std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 std::optional<Image> image, const KernelSpec& spec,
                                                 const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status,
                                                 std::function<void(const std::string&)> warn = {},
                                                 std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>());

}  // namespace attune
