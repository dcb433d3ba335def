// PlanParts: all that the copies of a plan share, and what makes it a launch. What a launch alone needs is on the stack
// of its thread.
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

// What a plan loads for itself alone.
struct OwnModule {
  Image image;
  std::vector<ResolvedStep> steps;
  std::vector<StepArgument> arguments;
};

// Any thread. Keeps device and module alive. Its first members never change once they are made.
struct PlanParts {
  std::shared_ptr<Device> device;
  std::string kernel;
  Problem problem;
  Match match;
  ArgumentTable arguments;
  std::shared_ptr<const LoadedSteps> steps;
  // Of an image with variables: plans that shared a module would set each other's variables.
  std::optional<OwnModule> own_module = {};
  std::function<void(const std::string&)> warn = {};  // of the dispatcher, which outlives all plans
  LaunchBlock::Owner block = {};                      // null where the plan is not plain
  mutable MapCache maps = {};
  std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>();  // where its code and scratch memory count
  mutable StreamScratch scratch{holdings};
  mutable SymbolUploads uploads = {};

  // Returns how much scratch memory there is now, of all streams. That of graphs and of ResolvedLaunch is theirs.
  std::uint64_t scratch_bytes() const noexcept { return scratch.bytes(); }

  // Throws Error saying which step of this plan failed, and why.
  [[noreturn]] void fail(std::string_view step, const Status& status) const;
  void enqueue(const Operation& operation, std::string_view step, StreamHandle stream) const {
    if (const Status status = device->enqueue(operation, stream); !status.ok()) fail(step, status);
  }
  void warn_of_misaligned(const std::string& array) const;
};

// Checks the arguments and enqueues what they ask for. Any thread. On a stream that is captured, the graph holds the
// parts, and has scratch memory of its own. Throws what Plan::launch does. Returns the name of an array that lies so
// that a tensor map of it is zeros, or null. Allocates nothing, except at the first launch on a stream, in a capture,
// and for parameters beyond LaunchFrame::stack_bytes. Not in line: launches by a block have none of its stack.
[[gnu::noinline]] const std::string* launch_by_frame(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream,
                                                     std::span<const PlanArgument> passed);

// Does it by the plan's block, where it has one and the stream is not captured.
inline const std::string* launch_plan(const std::shared_ptr<const PlanParts>& parts, StreamHandle stream,
                                      std::span<const PlanArgument> passed) {
  const LaunchBlock* const block = parts->block.get();
  if (block == nullptr || block->is_captured(stream)) return launch_by_frame(parts, stream, passed);
  block->launch(stream, passed);
  return nullptr;
}

// Returns parts that a plan may launch: the same, or with a module of their own where there are variables. Throws Error
// when the driver refuses the module.
std::shared_ptr<const PlanParts> parts_of_own(std::shared_ptr<const PlanParts> parts);

// Makes the parts for resolved steps whose entries are in `module`; `image`: of a kernel with symbols. On failure the
// status says which step the device refuses, and there are no parts. Not thread-safe per module.
std::shared_ptr<const PlanParts> make_plan_parts(std::shared_ptr<Device> device, std::shared_ptr<Module> module,
                                                 std::optional<Image> image, const KernelSpec& spec,
                                                 const Problem& problem, Match match,
                                                 std::span<const ResolvedStep> steps,
                                                 std::span<const ResolvedArgument> arguments, Status& status,
                                                 std::function<void(const std::string&)> warn = {},
                                                 std::shared_ptr<Holdings> holdings = std::make_shared<Holdings>());

}  // namespace attune
